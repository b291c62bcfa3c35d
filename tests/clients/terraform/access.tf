terraform {
  required_providers { aws = { source = "hashicorp/aws", version = "5.100.0" } }
}
variable "endpoint" {}
provider "aws" {
  region = "us-east-1"
  endpoints {
    dynamodb       = var.endpoint
    iam            = var.endpoint
    sts            = var.endpoint
    appautoscaling = var.endpoint
  }
}
data "aws_caller_identity" "me" {}
data "aws_iam_policy_document" "own" {
  statement {
    actions   = ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem"]
    resources = [aws_dynamodb_table.orders.arn]
    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["$${aws:PrincipalTag/tenant}"]
    }
  }
}
resource "aws_dynamodb_table" "orders" {
  name           = "orders"
  billing_mode   = "PROVISIONED"
  read_capacity  = 5
  write_capacity = 5
  hash_key       = "tenant"
  range_key      = "sk"
  attribute {
    name = "tenant"
    type = "S"
  }
  attribute {
    name = "sk"
    type = "S"
  }
  point_in_time_recovery { enabled = true }
  ttl {
    attribute_name = "expires"
    enabled        = true
  }
  tags = { Team = "green" }
  lifecycle { ignore_changes = [read_capacity, write_capacity] }
}
resource "aws_dynamodb_resource_policy" "orders" {
  resource_arn = aws_dynamodb_table.orders.arn
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Sid    = "Reader", Effect = "Allow", Principal = { AWS = aws_iam_role.reader.arn }
      Action = ["dynamodb:GetItem", "dynamodb:Query"], Resource = aws_dynamodb_table.orders.arn
    }]
  })
}
resource "aws_iam_user" "app" {
  name          = "app"
  path          = "/service/"
  tags          = { tenant = "acme" }
  force_destroy = true
}
resource "aws_iam_access_key" "app" { user = aws_iam_user.app.name }
resource "aws_iam_policy" "own" {
  name        = "own-partitions"
  description = "own partitions"
  policy      = data.aws_iam_policy_document.own.json
  tags        = { Team = "green" }
}
resource "aws_iam_user_policy_attachment" "own" {
  user       = aws_iam_user.app.name
  policy_arn = aws_iam_policy.own.arn
}
resource "aws_iam_user_policy" "inline" {
  name   = "describe"
  user   = aws_iam_user.app.name
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "dynamodb:DescribeTable", Resource = "*" }] })
}
resource "aws_iam_role" "reader" {
  name                 = "reader"
  max_session_duration = 7200
  description          = "reads"
  permissions_boundary = aws_iam_policy.boundary.arn
  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = { AWS = "arn:aws:iam::${data.aws_caller_identity.me.account_id}:root" } }]
  })
  tags = { Team = "green" }
}
resource "aws_iam_policy" "boundary" {
  name   = "boundary"
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "dynamodb:*", Resource = "*" }] })
}
resource "aws_iam_role_policy" "inline" {
  name   = "list"
  role   = aws_iam_role.reader.id
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "dynamodb:ListTables", Resource = "*" }] })
}
resource "aws_iam_role_policy_attachment" "read" {
  role       = aws_iam_role.reader.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonDynamoDBReadOnlyAccess"
}
resource "aws_appautoscaling_target" "write" {
  max_capacity       = 100
  min_capacity       = 5
  resource_id        = "table/${aws_dynamodb_table.orders.name}"
  scalable_dimension = "dynamodb:table:WriteCapacityUnits"
  service_namespace  = "dynamodb"
}
resource "aws_appautoscaling_policy" "write" {
  name               = "write"
  policy_type        = "TargetTrackingScaling"
  resource_id        = aws_appautoscaling_target.write.resource_id
  scalable_dimension = aws_appautoscaling_target.write.scalable_dimension
  service_namespace  = aws_appautoscaling_target.write.service_namespace
  target_tracking_scaling_policy_configuration {
    predefined_metric_specification { predefined_metric_type = "DynamoDBWriteCapacityUtilization" }
    target_value = 70
  }
}
output "key" {
  value = aws_iam_access_key.app.id
}
output "secret" {
  value     = aws_iam_access_key.app.secret
  sensitive = true
}
