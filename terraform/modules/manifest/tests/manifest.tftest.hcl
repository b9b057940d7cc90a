variables {
  functions_folder = "tests/good"
}

run "finds_every_folder" {
  command = plan

  assert {
    condition     = keys(output.functions) == ["console", "tick-tock"]
    error_message = "A folder is a function."
  }

  assert {
    condition     = output.functions["tick-tock"].schedule == { cron = "*/5 * * * *", path = "/tick", body = "{\"budgetSeconds\":240}" } && output.functions["console"].schedule == null
    error_message = "A schedule is read as it is written."
  }

  assert {
    condition     = output.functions["console"].cpu == "1" && output.functions["console"].max_instances == 10
    error_message = "What is not written has a default."
  }
}

run "lists_who_is_scheduled_who_reads_secrets_who_uses_the_database" {
  command = plan

  assert {
    condition     = output.scheduled == ["tick-tock"] && output.database_clients == ["tick-tock"]
    error_message = "tick-tock has a schedule and the extra postgres."
  }

  assert {
    condition     = output.secret_readers["USER_JWT_SECRET"] == ["console", "tick-tock"]
    error_message = "Both read the secret."
  }
}

run "refuses_a_folder_with_something_wrong_in_it" {
  command = plan

  variables {
    functions_folder = "tests/broken"
  }

  expect_failures = [output.functions]
}

run "refuses_a_folder_without_functions" {
  command = plan

  variables {
    functions_folder = "tests"
  }

  expect_failures = [var.functions_folder]
}
