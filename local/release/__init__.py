"""The files of a release, all made from the one template: code and template, Terraform module, CDK constructs."""
