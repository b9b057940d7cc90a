variable "secret_versions" {
  description = "The secrets that people put in, by the variable that reads them, each with a number to raise when its value changes."
  type        = map(number)

  validation {
    condition     = length(setsubtract(["PAPERLESS_API_TOKEN", "RECEIPT_SIGNING_KEY"], keys(var.secret_versions))) == 0
    error_message = "secret_versions must have PAPERLESS_API_TOKEN and RECEIPT_SIGNING_KEY."
  }

  validation {
    condition     = alltrue([for name, number in var.secret_versions : can(regex("^[A-Z][A-Z0-9_]*$", name)) && number >= 1 && floor(number) == number])
    error_message = "secret_versions must be whole numbers from 1 on, by names of variables."
  }
}

variable "secret_values" {
  description = "The values of those secrets. They are sent when their number changes, and kept neither in the plan nor in the state."
  type        = map(string)
  sensitive   = true
  ephemeral   = true

  validation {
    condition     = length(setsubtract(keys(var.secret_versions), [for name, value in var.secret_values : name if length(trimspace(value)) > 0])) == 0
    error_message = "secret_values must have a value for each name in secret_versions."
  }
}

variable "receipt_public_keys" {
  description = "The public halves, in base64, of the keys that sign receipts and of those that did, by their ids."
  type        = map(string)

  validation {
    condition     = length(var.receipt_public_keys) > 0 && alltrue([for id, key in var.receipt_public_keys : can(regex("^[0-9a-f]{16}$", id)) && can(regex("^[A-Za-z0-9+/]{43}=$", key))])
    error_message = "receipt_public_keys must be 32 bytes in base64 by ids of 16 hexadecimal digits, as scripts/new_receipt_key prints them."
  }
}
