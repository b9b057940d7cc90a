locals {
  # Who may call a function beside the other functions; stack/identities.tf says who they are.
  callers = ["application", "operators", "scheduler"]

  # localSeconds is read by scripts/run alone.
  known_keys = [
    "concurrency", "cpu", "description", "entryPoint", "env", "extras", "invokers", "maxInstances", "memory",
    "presigns", "public", "schedule", "secrets", "timeoutSeconds",
  ]

  readable = { for name in local.names : name => can(keys(jsondecode(file("${var.functions_folder}/${name}/function.json")))) }

  complaints = { for name, it in local.functions : name => {
    "must be there, and be a JSON object" = !local.readable[name]
    "needs a main.py beside it"           = !fileexists("${var.functions_folder}/${name}/main.py")
    "belongs to a folder whose name a service account can have: 6 to 30 of a-z, 0-9 and -, a letter first" = (
      !can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", name)) || contains(local.callers, name)
    )
    "has keys that nothing reads: ${join(", ", setsubtract(try(keys(local.read[name]), []), local.known_keys))}" = (
      length(setsubtract(try(keys(local.read[name]), []), local.known_keys)) > 0
    )
    "needs entryPoint, the name of the handler in main.py"    = !can(regex("^[a-z_][a-z0-9_]*$", it.entry_point))
    "needs description, a sentence on what the function does" = length(it.description) < 10
    "needs extras, a list of names of pyproject.toml"         = !can(tolist(local.read[name].extras)) || !alltrue([for extra in it.extras : can(regex("^[a-z0-9-]+$", extra))])
    "needs memory, such as 512Mi or 1Gi"                      = !can(regex("^[1-9][0-9]*(Mi|Gi)$", it.memory))
    "needs cpu to be 1, 2, 4, 6 or 8, or a fraction such as 0.5 where concurrency is 1" = !(
      contains(["1", "2", "4", "6", "8"], it.cpu) || (it.concurrency == 1 && can(regex("^0\\.[0-9]+$", it.cpu)))
    )
    "needs timeoutSeconds, a whole number from 1 to 3600" = !(it.timeout_seconds >= 1 && it.timeout_seconds <= 3600 && floor(it.timeout_seconds) == it.timeout_seconds)
    "needs concurrency, a whole number from 1 to 1000"    = !(it.concurrency >= 1 && it.concurrency <= 1000 && floor(it.concurrency) == it.concurrency)
    "needs maxInstances to be from 1 to 100"              = !(it.max_instances >= 1 && it.max_instances <= 100 && floor(it.max_instances) == it.max_instances)
    "has invokers that do not exist: ${join(", ", setsubtract(it.invokers, concat(local.callers, keys(local.functions))))}" = (
      length(setsubtract(it.invokers, concat(local.callers, keys(local.functions)))) > 0
    )
    "needs invokers, a list of who may call it"                                  = length(it.invokers) == 0 && !it.public
    "must not be public: only the console is"                                    = it.public && name != "console"
    "has a schedule that is not {cron, path, body, localSeconds}"                = can(local.read[name].schedule.cron) ? length(setsubtract(keys(local.read[name].schedule), ["cron", "path", "body", "localSeconds"])) > 0 : can(local.read[name].schedule)
    "needs a schedule's cron to have five fields"                                = it.schedule != null && !can(regex("^\\S+ \\S+ \\S+ \\S+ \\S+$", it.schedule.cron))
    "needs a schedule's path to begin with /"                                    = it.schedule != null && !startswith(try(it.schedule.path, "/"), "/")
    "names scheduler as an invoker exactly if it has a schedule"                 = (it.schedule != null) != contains(it.invokers, "scheduler")
    "is scheduled and may take at most 1770 seconds: Scheduler waits 30 minutes" = it.schedule != null && it.timeout_seconds > 1770
    "needs env and secrets to be lists of names of variables, none of them in both" = (
      length(setintersection(it.env, it.secrets)) > 0
      || !alltrue([for variable in concat(it.env, it.secrets) : can(regex("^[A-Z][A-Z0-9_]*$", variable))])
      || !can(tolist(try(local.read[name].env, []))) || !can(tolist(try(local.read[name].secrets, [])))
    )
  } }

  # One broken file would draw ten complaints; the first of them is the one that helps.
  problems = compact([
    for name, complaints in local.complaints : (
      !local.readable[name] ? "${name}/function.json must be there, and be a JSON object." :
      join("\n", [for complaint, holds in complaints : "${name}/function.json ${complaint}." if holds])
    )
  ])
}
