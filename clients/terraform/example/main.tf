# A configuration that has askback, and an agent that may ask.

module "askback" {
  source = "./askback-terraform"

  artifacts       = "${path.root}/askback-artifacts"
  artifact_bucket = aws_s3_bucket.artifacts.id
  brand_name      = "Acme"
  retention_days  = 90
  allowed_origins = ["https://app.example.com"]
}

resource "aws_s3_bucket" "artifacts" {
  bucket_prefix = "artifacts-"
}

resource "aws_iam_role_policy_attachment" "agent" {
  role       = var.agent_role_name
  policy_arn = module.askback.agent_policy_arn
}

variable "agent_role_name" {
  description = "Name of the role that the agent runs as."
  type        = string
}
