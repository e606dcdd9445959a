"""The whole deployment on one machine: the real handlers, an emulated AWS and a local HTTP front.

Nothing here is deployed and nothing here is imported by what is deployed.
"""
