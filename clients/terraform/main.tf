# askback as a Terraform module: the files of a release in a bucket of yours, and one CloudFormation stack of its template.
#
# The template is the only description of the deployment. variables.tf and outputs.tf are written from it when a release
# is made. A variable that is null leaves the parameter at the template's default. CloudFormation checks the values.

terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

variable "stack_name" {
  description = "Name of the stack, at most 58 characters: the schedule of the sweep is named <stack>-sweep."
  type        = string
  default     = "askback"
  validation {
    condition     = length(var.stack_name) <= 58
    error_message = "The name of the stack must have at most 58 characters."
  }
}

variable "artifacts" {
  description = "Folder with the unpacked artifacts of the same release."
  type        = string
}

variable "artifact_bucket" {
  description = "Bucket of yours, in the region of the stack, that gets these files."
  type        = string
}

variable "artifact_prefix" {
  description = "What the keys of these files begin with. Empty means the top of the bucket."
  type        = string
  default     = "askback/"
}

variable "tags" {
  description = "Tags of the stack; CloudFormation gives them to its resources."
  type        = map(string)
  default     = {}
}

data "aws_s3_bucket" "artifacts" {
  bucket = var.artifact_bucket
}

locals {
  template     = jsondecode(file("${var.artifacts}/template.json"))
  template_key = "${var.artifact_prefix}template-${substr(filesha256("${var.artifacts}/template.json"), 0, 16)}.json"
}

# The name of each file has the hash of its content, so a file never changes.
resource "aws_s3_object" "code" {
  for_each = setsubtract(fileset(var.artifacts, "*"), ["template.json"])

  bucket = data.aws_s3_bucket.artifacts.id
  key    = "${var.artifact_prefix}${each.value}"
  source = "${var.artifacts}/${each.value}"
}

resource "aws_s3_object" "template" {
  bucket = data.aws_s3_bucket.artifacts.id
  key    = local.template_key
  source = "${var.artifacts}/template.json"
}

resource "aws_cloudformation_stack" "askback" {
  name         = var.stack_name
  template_url = "https://${data.aws_s3_bucket.artifacts.bucket_regional_domain_name}/${aws_s3_object.template.key}"
  # The stack creates roles, and CloudFormation expands its serverless resources.
  capabilities = ["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]
  tags         = var.tags

  parameters = merge(
    { for name, value in local.parameters : name => value if value != null },
    {
      ArtifactBucket = data.aws_s3_bucket.artifacts.id
      ArtifactPrefix = var.artifact_prefix
    },
  )

  depends_on = [aws_s3_object.code]

  lifecycle {
    precondition {
      condition     = local.template.Metadata["AWS::ServerlessRepo::Application"].SemanticVersion == local.release
      error_message = "The artifacts are of another release than this module, which is of ${local.release}."
    }
  }
}
