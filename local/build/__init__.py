"""Build steps after `sam build`: compile byte-code, check the artifact, print the template of retained resources."""
