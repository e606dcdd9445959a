"""The operators' view of pauses and their actions."""
