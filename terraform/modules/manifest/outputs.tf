output "functions" {
  description = "Every function by its name, as its function.json describes it."
  value       = local.functions

  precondition {
    condition     = length(local.problems) == 0
    error_message = join("\n", local.problems)
  }
}

output "scheduled" {
  description = "The names of the functions that Cloud Scheduler calls."
  value       = [for name, it in local.functions : name if it.schedule != null]
}

output "secret_readers" {
  description = "For each secret variable, the functions that read it."
  value = {
    for variable in distinct(flatten([for it in local.functions : it.secrets])) :
    variable => [for name, it in local.functions : name if contains(it.secrets, variable)]
  }
}

output "database_clients" {
  description = "The names of the functions that use the database."
  value       = [for name, it in local.functions : name if contains(it.extras, "postgres")]
}
