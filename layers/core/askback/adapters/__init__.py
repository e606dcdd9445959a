"""The ports of the domain on real services: DynamoDB, S3, Secrets Manager and PyJWT."""
