"""LangGraph: pauses of a graph's interrupts, and the checkpoint port over its saver; needs the extra `langgraph`."""
