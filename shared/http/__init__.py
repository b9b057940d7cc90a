"""What stands between functions-framework and a use case: routing, parsing, authentication, errors."""
