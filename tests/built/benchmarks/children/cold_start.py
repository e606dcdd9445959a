"""Import a function once, as a cold start does: `cold_start.py LAYER FUNCTION`.

Prints the processor time and the elapsed time, in seconds, from the first import on.
"""

import sys
import time

sys.path[:0] = sys.argv[:0:-1]  # the function's folder first, then the layer
cpu, wall = time.process_time(), time.perf_counter()
import app  # type: ignore[import-not-found]  # noqa: E402  from the function's folder, and what is measured

cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
assert callable(app.handler)
print(f'{{"cpu": {cpu}, "wall": {wall}}}')
