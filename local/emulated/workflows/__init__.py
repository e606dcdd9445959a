"""Workflows on one machine: moto's interpreter and Lambda, brought closer to the services they stand for.

moto executes state machines, but it has no JSONata engine, runs functions in containers only, and takes any number of
answers to one task token. Each module here mends one of these; `executing` in `interpreter` puts them in place.
"""
