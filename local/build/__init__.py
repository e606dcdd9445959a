"""What a build adds and checks: byte-code, the artifact, the template of what outlives a stack."""
