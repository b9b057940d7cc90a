module "manifest" {
  source = "../modules/manifest"

  functions_folder = var.functions_folder
}

locals {
  labels = merge(var.labels, { application = "archivolt", environment = var.environment })
}

module "function" {
  for_each = module.manifest.functions
  source   = "../modules/function"

  project_id     = var.project_id
  project_number = var.project_number
  region         = var.region
  labels         = local.labels

  name        = each.key
  description = each.value.description
  entry_point = each.value.entry_point

  service_account_email = local.emails[each.key]

  memory          = each.value.memory
  cpu             = each.value.cpu
  timeout_seconds = each.value.timeout_seconds
  concurrency     = each.value.concurrency
  max_instances   = each.value.max_instances
  public          = each.value.public
  signs_uploads   = each.value.presigns && var.queue_backend == "gcs"

  package               = "${var.packages_folder}/${each.key}.zip"
  source_bucket         = google_storage_bucket.source.name
  build_service_account = "projects/${var.project_id}/serviceAccounts/${local.builds_email}"
  docker_repository     = "projects/${var.project_id}/locations/${var.region}/repositories/${google_artifact_registry_repository.functions.repository_id}"

  environment = local.environment[each.key]
  secrets     = local.secret_environment[each.key]
  invokers    = local.invokers[each.key]
  subnetwork  = contains(module.manifest.database_clients, each.key) ? module.database.subnetwork : null

  schedule = each.value.schedule == null ? null : {
    cron            = each.value.schedule.cron
    path            = each.value.schedule.path
    body            = each.value.schedule.body
    service_account = local.caller_emails.scheduler[0]
    paused          = var.schedules_paused
  }

  depends_on = [
    google_artifact_registry_repository_iam_member.builds_write,
    google_project_iam_member.builds_log,
    google_project_iam_member.builds_read,
    google_project_service.needed,
  ]
}
