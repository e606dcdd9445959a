"""The base image for `sam local`, built from this machine's own files because it may be impossible to pull one."""
