"""The operator's command: `python -m askback.operate`."""
