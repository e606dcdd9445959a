"""The built template, deployed into MiniStack with IAM enforced: what unit tests in one process cannot show."""
