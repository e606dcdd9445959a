"""Keeps the garbage collector out of a cold start.

A function imports this module before anything else, and calls `ended` at the end.

Nothing of what a function loads is garbage, and there are some hundred thousand objects of it: looking through them
again and again while more are made is a twentieth of a cold start. Afterwards they are set aside, so that no request
pays for looking through them either.
"""

import gc

gc.disable()


def ended() -> None:
    """Let the collector work on what is made from here on."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
