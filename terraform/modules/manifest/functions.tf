locals {
  names = toset([for file in fileset(var.functions_folder, "*/{function.json,main.py}") : dirname(file)])

  # A file that cannot be read becomes {}, and problems.tf says so by its name.
  read = { for name in local.names : name => try(jsondecode(file("${var.functions_folder}/${name}/function.json")), {}) }

  functions = { for name, facts in local.read : name => {
    entry_point     = try(tostring(facts.entryPoint), "")
    description     = try(tostring(facts.description), "")
    extras          = try([for extra in facts.extras : tostring(extra)], [])
    memory          = try(tostring(facts.memory), "")
    cpu             = try(tostring(facts.cpu), "1")
    timeout_seconds = try(tonumber(facts.timeoutSeconds), 0)
    concurrency     = try(tonumber(facts.concurrency), 0)
    max_instances   = try(tonumber(facts.maxInstances), 10)
    invokers        = try([for invoker in facts.invokers : tostring(invoker)], [])
    env             = try([for variable in facts.env : tostring(variable)], [])
    secrets         = try([for variable in facts.secrets : tostring(variable)], [])
    public          = try(tobool(facts.public), false)
    presigns        = try(tobool(facts.presigns), false)
    schedule = try({
      cron = tostring(facts.schedule.cron)
      path = try(tostring(facts.schedule.path), "/")
      body = jsonencode(try(facts.schedule.body, {}))
    }, null)
  } }
}
