"""Import a function once, as a cold start does: `cold_start.py LAYER [FUNCTION]`.

Without a function it is the yardstick: boto3 and one DynamoDB client, which no function that uses DynamoDB can do
without. Prints the processor time and the elapsed time, in seconds, from the first import on.
"""

import sys
import time

sys.path[:0] = sys.argv[:0:-1]  # the function's folder first, then the layer
cpu, wall = time.process_time(), time.perf_counter()
if len(sys.argv) > 2:
    import app  # type: ignore[import-not-found]

    assert callable(app.handler)
else:
    import boto3

    boto3.client("dynamodb")
cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
print(f'{{"cpu": {cpu}, "wall": {wall}}}')
