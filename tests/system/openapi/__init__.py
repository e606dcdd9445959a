"""The OpenAPI document and the running front, compared in both directions."""
