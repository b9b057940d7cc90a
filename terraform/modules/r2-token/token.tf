# One token per generation: a rotation adds the next one, waits until it is in use, then takes the last one away.
resource "cloudflare_account_token" "this" {
  for_each = toset([for generation in var.generations : tostring(generation)])

  account_id = var.account_id
  name       = "${var.name} ${each.key}"

  # R2 knows read, or read and write with list and delete, per bucket; nothing between.
  policies = [{
    effect            = "allow"
    permission_groups = [{ id = var.permission_group_id }]
    resources         = jsonencode({ for resource in var.bucket_resources : resource => "*" })
  }]
}
