"""What an attacker tries and cannot do: one file for each attack."""
