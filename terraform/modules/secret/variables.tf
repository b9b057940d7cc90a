variable "project_id" {
  description = "The Google Cloud project."
  type        = string
}

variable "region" {
  description = "The region that holds the secret."
  type        = string
}

variable "secret_id" {
  description = "The secret's name."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{2,100}$", var.secret_id))
    error_message = "secret_id must be of a-z, 0-9 and -, and begin with a letter."
  }
}

variable "labels" {
  description = "Labels of the secret."
  type        = map(string)
  default     = {}
}

variable "value" {
  description = "The secret itself. It is sent when generation changes, and kept neither in the plan nor in the state."
  type        = string
  sensitive   = true
  ephemeral   = true

  validation {
    condition     = try(length(trimspace(var.value)) > 0, false)
    error_message = "value must not be empty."
  }
}

variable "generation" {
  description = "Counts the values there were: raise it to send another one."
  type        = number

  validation {
    condition     = var.generation >= 1 && floor(var.generation) == var.generation
    error_message = "generation must be a whole number from 1 on."
  }
}
