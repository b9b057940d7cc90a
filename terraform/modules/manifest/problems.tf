locals {
  # Who may call a function beside the other functions; stack/identities.tf says who they are.
  callers = ["application", "operators", "scheduler"]

  # Of a schedule, localSeconds is read by scripts/run alone.
  schedule_keys = ["body", "cron", "localSeconds", "path"]
  known_keys = [
    "concurrency", "cpu", "description", "entryPoint", "env", "extras", "invokers", "maxInstances", "memory",
    "presigns", "public", "schedule", "secrets", "timeoutSeconds",
  ]

  readable = { for name in local.names :
    name => can(keys(jsondecode(file("${var.functions_folder}/${name}/function.json"))))
  }
  odd_keys     = { for name, facts in local.read : name => setsubtract(try(keys(facts), []), local.known_keys) }
  odd_invokers = { for name, it in local.functions : name => setsubtract(it.invokers, concat(local.callers, keys(local.functions))) }

  # For each function, what may be wrong with it and whether it is.
  complaints = { for name, it in local.functions : name => {
    "needs a main.py beside it" = !fileexists("${var.functions_folder}/${name}/main.py")

    "is in a folder whose name no service account can have: it takes 6 to 30 of a-z, 0-9 and -, a letter first" = anytrue([
      !can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", name)), contains(local.callers, name),
    ])

    "has keys that nothing reads: ${join(", ", local.odd_keys[name])}" = length(local.odd_keys[name]) > 0

    "needs entryPoint, the name of the handler in main.py" = !can(regex("^[a-z_][a-z0-9_]*$", it.entry_point))

    "needs description, a sentence on what the function does" = length(it.description) < 10

    "needs extras, a list of names in pyproject.toml" = anytrue([
      !can(tolist(local.read[name].extras)), anytrue([for extra in it.extras : !can(regex("^[a-z0-9-]+$", extra))]),
    ])

    "needs memory, such as 512Mi or 1Gi" = !can(regex("^[1-9][0-9]*(Mi|Gi)$", it.memory))

    "needs cpu to be 1, 2, 4, 6 or 8, or a fraction such as 0.5 where concurrency is 1" = !anytrue([
      contains(["1", "2", "4", "6", "8"], it.cpu), it.concurrency == 1 && can(regex("^0\\.[0-9]+$", it.cpu)),
    ])

    "needs timeoutSeconds, a whole number from 1 to 3600" = !(floor(it.timeout_seconds) == it.timeout_seconds && it.timeout_seconds >= 1 && it.timeout_seconds <= 3600)

    "needs concurrency, a whole number from 1 to 1000" = !contains(range(1, 1001), it.concurrency)

    "needs maxInstances to be a whole number from 1 to 100" = !contains(range(1, 101), it.max_instances)

    "has invokers that do not exist: ${join(", ", local.odd_invokers[name])}" = length(local.odd_invokers[name]) > 0

    "needs invokers, a list of who may call it" = length(it.invokers) == 0 && !it.public

    "must not be public: only the console is" = it.public && name != "console"

    "needs a schedule to have cron, and of ${join(", ", local.schedule_keys)} nothing else" = anytrue([
      can(local.read[name].schedule) && it.schedule == null,
      length(setsubtract(try(keys(local.read[name].schedule), []), local.schedule_keys)) > 0,
    ])

    "needs a schedule's cron to have five fields of digits, *, /, - and commas" = it.schedule != null && !can(regex("^([0-9*/,-]+ ){4}[0-9*/,-]+$", try(it.schedule.cron, "")))

    "needs a schedule's path to begin with /" = it.schedule != null && !startswith(try(it.schedule.path, ""), "/")

    "must name scheduler as an invoker if it has a schedule, and only then" = (it.schedule != null) != contains(it.invokers, "scheduler")

    "is scheduled and may take 1770 seconds at most: Scheduler waits for 30 minutes" = it.schedule != null && it.timeout_seconds > 1770

    "needs env and secrets to be lists of names of variables, none of them in both" = anytrue([
      !can(tolist(try(local.read[name].env, []))),
      !can(tolist(try(local.read[name].secrets, []))),
      length(setintersection(it.env, it.secrets)) > 0,
      anytrue([for variable in concat(it.env, it.secrets) : !can(regex("^[A-Z][A-Z0-9_]*$", variable))]),
    ])
  } }

  # A file that cannot be read would draw every complaint there is; that it cannot be read is the one that helps.
  problems = compact([for name, complaints in local.complaints : local.readable[name] ?
    join("\n", [for complaint, holds in complaints : "${name}/function.json ${complaint}." if holds]) :
    "${name}/function.json must be there, and be a JSON object."
  ])
}
