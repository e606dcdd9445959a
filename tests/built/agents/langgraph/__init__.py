"""LangGraph: real graphs over real savers."""
