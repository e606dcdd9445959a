"""What a pause is: whose it is, who may answer it, who waits for it, and the row that the ledger keeps of it."""
