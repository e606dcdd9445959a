"""Build steps after `sam build`: remove unused files, compile byte-code, check the artifact, print a state template."""
