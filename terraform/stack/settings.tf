# Where the value of each variable in functions/*/function.json comes from. null leaves the program's own default.
# A variable that is in neither map is refused by its name; var.tuning may set any that is null here.
locals {
  settings = { for name, it in module.manifest.functions : name => merge(local.addresses, {
    AUDIT_CALLBACK_TIMEOUT_SECONDS   = null
    AWS_REGION                       = local.on_r2 ? "auto" : null
    AWS_S3_ARCHIVE_BUCKET            = local.bucket_names.queue
    AWS_S3_DLQ_BUCKET                = local.bucket_names.dlq
    AWS_S3_ENDPOINT                  = local.on_r2 ? local.r2_endpoint : null
    CLOUD_SQL_INSTANCE               = module.database.connection_name
    CLOUD_SQL_IP_TYPE                = "PRIVATE"
    DATABASE_BUDGET_SECONDS          = null
    DATABASE_NAME                    = module.database.database_name
    DATABASE_USER                    = lookup(module.database.user_names, name, null)
    GCS_PROJECT                      = local.on_r2 ? null : var.project_id
    GOOGLE_CLOUD_PROJECT             = var.project_id
    INVOKER_EMAILS                   = join(",", sort(flatten([for caller in it.invokers : local.caller_emails[caller]])))
    LOG_BACKEND                      = "stdout"
    LOG_FORMAT                       = "json"
    LOG_LEVEL                        = var.log_level
    MAX_DOCUMENT_BYTES               = null
    MAX_REQUEST_BYTES                = null
    PAPERLESS_PUBLIC_URL             = null
    PAPERLESS_TAG_IDS_MAP            = length(var.paperless_tag_ids) == 0 ? null : jsonencode(var.paperless_tag_ids)
    PAPERLESS_TIMEOUT_SECONDS        = null
    PAPERLESS_UPLOAD_TIMEOUT_SECONDS = null
    PAPERLESS_URL                    = var.paperless_url
    PAPERLESS_WINDOW                 = null
    PROCESSING_QUEUE                 = google_cloud_tasks_queue.processing.name
    QDRANT_URL                       = var.qdrant_url
    QUEUE_BACKEND                    = local.on_r2 ? "s3" : "gcs"
    RECEIPT_PUBLIC_KEYS              = jsonencode(var.receipt_public_keys)
    RECEIPT_PUBLIC_KEYS_PREVIOUS     = jsonencode(var.receipt_public_keys)
    REDRIVES_PER_SECOND              = null
    SERVICE_AUDIENCE                 = local.urls[name]
    SERVICE_JWKS_URL                 = null
    SOURCE_PREFIX                    = var.source_prefix
    SOURCE_UUID_TAG                  = null
    STORAGE_EMULATOR_HOST            = null
  }) }

  # Every function can be told where another is: audit-callback's address is AUDIT_CALLBACK_URL, and so on.
  addresses = merge(
    { for name, url in local.urls : "${upper(replace(name, "-", "_"))}_URL" => url },
    { for name, url in local.urls : "${upper(replace(name, "-", "_"))}_AUDIENCE" => url },
  )

  # The same for what is secret: the name of the secret in secrets.tf that is read.
  secret_settings = { for name, owner in local.secret_owners : name => merge(
    {
      AWS_ACCESS_KEY_ID         = contains(local.r2_users, name) ? "${owner}-r2-access-key-id" : null
      AWS_SECRET_ACCESS_KEY     = contains(local.r2_users, name) ? "${owner}-r2-secret-access-key" : null
      CF_ACCESS_CLIENT_ID       = var.paperless_behind_access ? "archiver-cf-access-client-id" : null
      CF_ACCESS_CLIENT_SECRET   = var.paperless_behind_access ? "archiver-cf-access-client-secret" : null
      DATABASE_URL              = null # service accounts log in without a password
      INTERNAL_API_KEY          = null # inside Google, functions know each other by their tokens
      INTERNAL_API_KEY_PREVIOUS = null
    },
    { for variable in keys(var.secret_versions) : variable => variable },
  ) }
}
