variable "project_id" {
  description = "The Google Cloud project."
  type        = string
}

variable "project_number" {
  description = "The project's number, which is part of the function's address."
  type        = string
}

variable "region" {
  description = "The region the function runs in."
  type        = string
}

variable "name" {
  description = "The name of the function, its service account and its schedule."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.name))
    error_message = "name must have 6 to 30 characters of a-z, 0-9 and -, begin with a letter and not end with -."
  }
}

variable "description" {
  description = "A sentence on what the function does."
  type        = string
}

variable "service_account_email" {
  description = "The e-mail address of the service account that the function, and nothing else, runs as."
  type        = string

  validation {
    condition     = can(regex("^[^@:]+@[^@]+\\.iam\\.gserviceaccount\\.com$", var.service_account_email))
    error_message = "service_account_email must be an account made for the function; the project's default ones may do far too much."
  }
}

variable "labels" {
  description = "Labels of the function."
  type        = map(string)
  default     = {}
}

variable "package" {
  description = "The path of the zip that scripts/build made."
  type        = string

  validation {
    condition     = fileexists(var.package)
    error_message = "package must be the path of a zip that is there: run scripts/build first."
  }
}

variable "source_bucket" {
  description = "The bucket that holds the packages."
  type        = string
}

variable "runtime" {
  description = "The language runtime, such as python311."
  type        = string
  default     = "python311"

  validation {
    condition     = can(regex("^python3[0-9]{2}$", var.runtime))
    error_message = "runtime must be one of Python, such as python311."
  }
}

variable "entry_point" {
  description = "The name of the handler in main.py."
  type        = string
}

variable "build_service_account" {
  description = "The service account that builds the function: projects/<project>/serviceAccounts/<address>."
  type        = string

  validation {
    condition     = can(regex("^projects/[^/]+/serviceAccounts/[^/]+$", var.build_service_account))
    error_message = "build_service_account must be of the form projects/<project>/serviceAccounts/<address>."
  }
}

variable "docker_repository" {
  description = "The repository for the built image: projects/<project>/locations/<region>/repositories/<name>."
  type        = string

  validation {
    condition     = can(regex("^projects/[^/]+/locations/[^/]+/repositories/[^/]+$", var.docker_repository))
    error_message = "docker_repository must be of the form projects/<project>/locations/<region>/repositories/<name>."
  }
}

variable "memory" {
  description = "The memory of an instance, such as 512Mi."
  type        = string
}

variable "cpu" {
  description = "The CPUs of an instance; one at least where it takes several requests at once."
  type        = string
  default     = "1"

  validation {
    condition     = tonumber(var.cpu) >= 1 || var.concurrency == 1
    error_message = "cpu must be 1 or more where concurrency is more than 1: Cloud Run refuses less."
  }
}

variable "timeout_seconds" {
  description = "The seconds a request may take."
  type        = number

  validation {
    condition     = var.timeout_seconds >= 1 && var.timeout_seconds <= (var.schedule == null ? 3600 : 1770)
    error_message = "timeout_seconds must be from 1 to 3600; to 1770 with a schedule, because Scheduler waits 30 minutes."
  }
}

variable "concurrency" {
  description = "How many requests an instance takes at once."
  type        = number
}

variable "min_instances" {
  description = "How many instances are kept ready, and paid, without requests."
  type        = number
  default     = 0
}

variable "max_instances" {
  description = "The most instances there may be."
  type        = number
  default     = 10

  validation {
    condition     = var.max_instances >= max(1, var.min_instances)
    error_message = "max_instances must be at least 1 and at least min_instances."
  }
}

variable "environment" {
  description = "The environment variables, none of them secret."
  type        = map(string)
  default     = {}
}

variable "secrets" {
  description = "The environment variables that are read from Secret Manager: the secret's name and the number of its version."
  type = map(object({
    secret_id = string
    version   = string
  }))
  default = {}

  validation {
    condition     = length(setintersection(keys(var.secrets), keys(var.environment))) == 0
    error_message = "secrets must not name a variable that environment sets as well."
  }
}

variable "invokers" {
  description = "Who may call the function: a name of your choice, and the member as IAM writes it. One who is called scheduler, and alone, makes it internal."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for member in values(var.invokers) : can(regex("^(serviceAccount|user|group):[^@]+@[^@]+$", member))])
    error_message = "invokers must be members such as serviceAccount:someone@project.iam.gserviceaccount.com; the public is let in by public alone."
  }
}

variable "public" {
  description = "Whether everybody may call the function without a token."
  type        = bool
  default     = false
}

variable "signs_uploads" {
  description = "Whether the function signs addresses for uploads to Cloud Storage, as itself."
  type        = bool
  default     = false
}

variable "schedule" {
  description = "When Scheduler calls the function, with what, and as whom; null if it does not."
  type = object({
    cron            = string
    path            = string
    body            = string
    service_account = string
    paused          = optional(bool, false)
  })
  default = null

  validation {
    condition     = var.schedule == null || can(regex("^\\S+ \\S+ \\S+ \\S+ \\S+$", var.schedule.cron))
    error_message = "schedule must have a cron of five fields, such as */5 * * * *."
  }

  validation {
    condition     = var.schedule == null || can(jsondecode(var.schedule.body)) && startswith(try(var.schedule.path, ""), "/")
    error_message = "schedule must have a body that is JSON and a path that begins with /."
  }
}

variable "subnetwork" {
  description = "The network and subnetwork through which private addresses are reached; null if there are none to reach."
  type = object({
    network    = string
    subnetwork = string
  })
  default = null
}
