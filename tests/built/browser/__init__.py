"""The answer page in a real browser, against the real functions on one machine.

Needs Chromium, and the packages of the group `browser`; without them none of this is collected.
"""
