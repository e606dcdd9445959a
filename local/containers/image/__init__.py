"""The base image that `sam local` runs functions on, built from this machine's own files where none can be pulled."""
