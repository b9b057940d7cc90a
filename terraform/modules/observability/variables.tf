variable "project_id" {
  description = "The Google Cloud project."
  type        = string
}

variable "labels" {
  description = "Labels of the alert policies."
  type        = map(string)
  default     = {}
}

variable "metrics_file" {
  description = "The path of metrics.json, which names every metric that functions log."
  type        = string

  validation {
    condition     = can([for metric in jsondecode(file(var.metrics_file)) : "${metric.kind} ${metric.unit} ${metric.description}"])
    error_message = "metrics_file must be JSON: metrics by name, each with kind, unit, labels and description."
  }
}

variable "alerts_file" {
  description = "The path of alerts.json, which says what is counted, when it alerts, what that means and what to do."
  type        = string

  validation {
    condition     = can([for policy in jsondecode(file(var.alerts_file)).policies : "${policy.kind} ${policy.filter} ${policy.means} ${policy.moves[0]}"])
    error_message = "alerts_file must be JSON: policies by name, each with kind, filter, means and moves."
  }
}

variable "functions" {
  description = "The names of the functions whose log lines are read."
  type        = set(string)
}

variable "alert_email" {
  description = "Where alerts are sent."
  type        = string

  validation {
    condition     = can(regex("^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", var.alert_email))
    error_message = "alert_email must be an e-mail address."
  }
}

variable "runbook_url" {
  description = "The address of the runbook, to which alerts link; null for no link."
  type        = string
  default     = null
}
