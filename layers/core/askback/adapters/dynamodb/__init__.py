"""The ledger, the records and the indexes on one DynamoDB table."""
