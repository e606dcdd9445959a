"""Switches the garbage collector off during a cold start.

A function imports this module first, and calls `ended` at its end.

A function loads about a hundred thousand objects, and none of them is garbage. The collector would check them many
times during the imports; that is a fifth of a cold start (19 to 23 % for `resume` on Python 3.13). After the start
the objects are frozen, so that the collector does not check them during requests.
"""

import gc

gc.disable()


def ended() -> None:
    """Switch the collector on for the objects that are made from now on."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
