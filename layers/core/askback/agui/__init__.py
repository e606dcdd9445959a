"""AG-UI 1.0: interrupts of a run as pauses (`interrupts`), and pauses as interrupts (`front_end`). Pure functions.

Interrupts, entries and events are JSON objects with the protocol's own names, as `model_dump(mode="json",
by_alias=True)` of the package `ag-ui-protocol` writes them. There is no server here, and no token in what is written.
"""
