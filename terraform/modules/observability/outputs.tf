output "policies" {
  description = "The alert policies by their names in alerts.json, and what each is called."
  value       = { for id, policy in google_monitoring_alert_policy.this : id => policy.display_name }
}
