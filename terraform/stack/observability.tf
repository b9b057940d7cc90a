module "observability" {
  source = "../modules/observability"

  project_id   = var.project_id
  labels       = local.labels
  metrics_file = "${var.observability_folder}/metrics.json"
  alerts_file  = "${var.observability_folder}/alerts.json"
  functions    = keys(module.manifest.functions)
  alert_email  = var.alert_email
  runbook_url  = var.runbook_url

  depends_on = [google_project_service.needed]
}
