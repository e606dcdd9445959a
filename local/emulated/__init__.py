"""The whole deployment on one machine: emulated AWS, the real handlers, the HTTP front."""
