"""The LangGraph bridge: pauses for a graph's interrupts, and the checkpoint port on its saver (extra `langgraph`)."""
