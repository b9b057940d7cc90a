variable "paperless_url" {
  description = "The address of Paperless, without a slash at its end."
  type        = string

  validation {
    condition     = can(regex("^https://[^/\\s]+(/[^\\s]*[^/\\s])?$", var.paperless_url))
    error_message = "paperless_url must be an https address without a slash at its end."
  }
}

variable "paperless_tag_ids" {
  description = "The ids of Paperless's fixed tags by their short names, such as { invoice = 12 }; looked up by name if empty."
  type        = map(number)
  default     = {}
}

variable "paperless_behind_access" {
  description = "Whether Cloudflare Access stands in front of Paperless, and the drain needs a service token."
  type        = bool
  default     = true
}

variable "access_secret_version" {
  description = "Counts the secrets of the Access service token: raise it to make another one."
  type        = number
  default     = 1

  validation {
    condition     = var.access_secret_version >= 1 && floor(var.access_secret_version) == var.access_secret_version
    error_message = "access_secret_version must be a whole number from 1 on."
  }
}

variable "access_previous_secret_expires_at" {
  description = "Until when the service token's secret before still works after a rotation, such as 2030-01-31T12:00:00Z."
  type        = string
  default     = null

  validation {
    condition     = var.access_previous_secret_expires_at == null ? true : can(formatdate("YYYY", var.access_previous_secret_expires_at))
    error_message = "access_previous_secret_expires_at must be a time such as 2030-01-31T12:00:00Z."
  }
}
