locals {
  day = 24 * 60 * 60

  # R2 gives this rule to every new bucket; a list of rules replaces all of them, so it is repeated here.
  abandoned_uploads = {
    id                                 = "Default Multipart Abort Rule"
    enabled                            = true
    conditions                         = { prefix = "" }
    abort_multipart_uploads_transition = { condition = { type = "Age", max_age = 7 * local.day } }
    delete_objects_transition          = null
  }

  expirations = [for prefix, days in var.expire_after_days : {
    id                                 = "expire ${prefix} after ${days} days"
    enabled                            = true
    conditions                         = { prefix = prefix }
    abort_multipart_uploads_transition = null
    delete_objects_transition          = { condition = { type = "Age", max_age = days * local.day } }
  }]
}

resource "cloudflare_r2_bucket_lifecycle" "this" {
  account_id   = var.account_id
  bucket_name  = cloudflare_r2_bucket.this.name
  jurisdiction = var.jurisdiction
  rules        = concat([local.abandoned_uploads], local.expirations)
}
