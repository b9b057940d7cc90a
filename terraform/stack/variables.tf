variable "project_id" {
  description = "The Google Cloud project, one per environment."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project_id))
    error_message = "project_id must be the id of a Google Cloud project, such as example-archive."
  }
}

variable "project_number" {
  description = "The project's number, of which the functions' addresses are made."
  type        = string

  validation {
    condition     = can(regex("^[0-9]{6,19}$", var.project_number))
    error_message = "project_number must be the digits that `gcloud projects describe` shows as projectNumber."
  }
}

variable "region" {
  description = "The Google Cloud region of everything."
  type        = string
  default     = "europe-west1"

  validation {
    condition     = can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))
    error_message = "region must be a Google Cloud region, such as europe-west1."
  }
}

variable "environment" {
  description = "What this is, for people and labels: production, staging or the like."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,30}$", var.environment))
    error_message = "environment must be a short word of a-z, 0-9 and -, such as production."
  }
}

variable "labels" {
  description = "Labels of everything that can have some."
  type        = map(string)
  default     = {}
}

variable "functions_folder" {
  description = "The folder with the functions; each subfolder is deployed."
  type        = string
  default     = "../../../functions"
}

variable "packages_folder" {
  description = "The folder into which scripts/build put the packages."
  type        = string
  default     = "../../../dist"
}

variable "observability_folder" {
  description = "The folder with metrics.json and alerts.json."
  type        = string
  default     = "../../../shared/observability"
}

variable "source_prefix" {
  description = "The short name of the application whose documents these are; tags and secrets begin with it."
  type        = string
  default     = "bilko"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,30}$", var.source_prefix))
    error_message = "source_prefix must have up to 31 characters of a-z, 0-9 and -, and begin with a letter."
  }
}

variable "application_service_accounts" {
  description = "The e-mail addresses of the service accounts that hand documents in."
  type        = list(string)

  validation {
    condition     = length(var.application_service_accounts) > 0 && alltrue([for email in var.application_service_accounts : can(regex("^[^@:]+@[^@]+\\.gserviceaccount\\.com$", email))])
    error_message = "application_service_accounts must be one or more addresses of service accounts, without a prefix."
  }
}

variable "operators" {
  description = "Who may act as an operator, as members such as group:operators@example.com."
  type        = set(string)
  default     = []

  validation {
    condition     = alltrue([for member in var.operators : can(regex("^(user|group|serviceAccount):[^@]+@[^@]+$", member))])
    error_message = "operators must be members such as group:operators@example.com; the public is none."
  }
}

variable "schedules_paused" {
  description = "Whether Scheduler calls nothing, which pauses all that runs by itself."
  type        = bool
  default     = false
}

variable "log_level" {
  description = "The least severity that functions write."
  type        = string
  default     = "INFO"

  validation {
    condition     = contains(["DEBUG", "INFO", "WARNING", "ERROR"], var.log_level)
    error_message = "log_level must be DEBUG, INFO, WARNING or ERROR."
  }
}

variable "tuning" {
  description = "Values for settings that stack/settings.tf leaves at the program's default, such as PAPERLESS_WINDOW."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for name in keys(var.tuning) : contains(flatten([for values in local.settings : [for variable, value in values : variable if value == null]]), name)])
    error_message = "tuning must name only settings that stack/settings.tf leaves null."
  }
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

  validation {
    condition     = var.runbook_url == null ? true : startswith(var.runbook_url, "https://")
    error_message = "runbook_url must begin with https://."
  }
}
