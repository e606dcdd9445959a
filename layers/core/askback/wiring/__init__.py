"""The composition roots: each builds the services of one function, once for a process.

A root imports at its top everything that its function needs. So a function loads exactly that, when it starts. The
modules `mint`, `resume`, `sweep`, `inbox`, `links`, `notify` and `rotate` are the roots of the functions; `in_process`
is the root for your own program. The other modules are parts that the roots share.
"""
