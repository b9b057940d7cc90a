variable "project_id" {
  description = "The Google Cloud project."
  type        = string
}

variable "project_number" {
  description = "The project's number."
  type        = string
}

variable "cloudflare_account_id" {
  description = "The Cloudflare account."
  type        = string
}

variable "r2_write_permission_group_id" {
  description = "The id of Cloudflare's permission group Workers R2 Storage Bucket Item Write."
  type        = string
}

variable "paperless_url" {
  description = "The address of Paperless."
  type        = string
}

variable "application_service_accounts" {
  description = "The service accounts that hand documents in."
  type        = list(string)
}

variable "operators" {
  description = "Who may act as an operator."
  type        = set(string)
}

variable "migrators" {
  description = "Who may change the database's schema."
  type        = set(string)
}

variable "alert_email" {
  description = "Where alerts are sent."
  type        = string
}

variable "receipt_public_keys" {
  description = "The public halves of the keys that sign receipts, by their ids."
  type        = map(string)
}

variable "secret_values" {
  description = "The secrets themselves, from the environment variable TF_VAR_secret_values."
  type        = map(string)
  sensitive   = true
  ephemeral   = true
}
