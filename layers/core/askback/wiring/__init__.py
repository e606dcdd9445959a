"""The composition roots: each function's services, built once for a process.

A root imports everything that its function serves with, at its top: so a function loads exactly what it needs, and does
so when it starts. The modules `mint`, `resume`, `sweep`, `inbox`, `notify` and `rotate` are the roots of the functions,
`in_process` is the root of a program of yours. The other modules are parts that they share.
"""
