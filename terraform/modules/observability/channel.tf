resource "google_monitoring_notification_channel" "email" {
  project      = var.project_id
  type         = "email"
  display_name = "Archivolt's alerts"
  labels       = { email_address = var.alert_email }
}
