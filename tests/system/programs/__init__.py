"""The product from outside: programs as processes, the API over HTTP."""
