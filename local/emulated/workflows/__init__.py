"""Workflows on one machine: corrections that make moto's interpreter and Lambda behave like the real services.

moto executes state machines, but it has no JSONata engine, runs functions only in containers, and accepts several
answers to one task token. Each module here corrects one of these; `executing` in `interpreter` installs them.
"""
