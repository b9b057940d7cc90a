locals {
  # Each bucket: the variable by which functions know it, and what expires in it. Nothing but what is listed does: an
  # undelivered document stays in the queue for as long as it takes, and kept/ among the dead letters for ever.
  buckets = {
    queue = {
      name              = "${var.bucket_prefix}-archive-queue"
      variable          = "AWS_S3_ARCHIVE_BUCKET"
      expire_after_days = { "uploads/" = 2 }
    }
    dlq = {
      name              = "${var.bucket_prefix}-archive-dlq"
      variable          = "AWS_S3_DLQ_BUCKET"
      expire_after_days = { "org/" = var.dlq_retention_days }
    }
  }

  on_r2 = var.queue_backend == "r2"

  # A function may use the buckets whose variables it declares.
  bucket_users = { for key, bucket in local.buckets : key => [
    for name, it in module.manifest.functions : name if contains(it.env, bucket.variable)
  ] }
  r2_users = local.on_r2 ? toset(flatten(values(local.bucket_users))) : toset([])
  bucket_names = { for key, bucket in local.buckets :
    key => local.on_r2 ? module.r2_bucket[key].name : module.gcs_bucket[key].name
  }
}

module "r2_bucket" {
  for_each = local.on_r2 ? local.buckets : {}
  source   = "../modules/r2-bucket"

  account_id        = var.cloudflare_account_id
  name              = each.value.name
  jurisdiction      = var.r2_jurisdiction
  expire_after_days = each.value.expire_after_days
}

module "gcs_bucket" {
  for_each = local.on_r2 ? {} : local.buckets
  source   = "../modules/gcs-bucket"

  project_id        = var.project_id
  name              = each.value.name
  location          = var.region
  labels            = local.labels
  expire_after_days = each.value.expire_after_days
  users             = { for name in local.bucket_users[each.key] : name => "serviceAccount:${local.emails[name]}" }

  depends_on = [google_project_service.needed]
}

# One per function, for its buckets alone, so that each can be rotated and revoked by itself.
module "r2_token" {
  for_each = local.r2_users
  source   = "../modules/r2-token"

  account_id          = var.cloudflare_account_id
  name                = "${var.bucket_prefix} ${each.key}"
  permission_group_id = var.r2_write_permission_group_id
  generations         = var.r2_token_generations
  bucket_resources = [
    for key, users in local.bucket_users : module.r2_bucket[key].token_resource if contains(users, each.key)
  ]
}
