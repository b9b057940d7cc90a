variable "functions_folder" {
  description = "The folder whose subfolders are the functions, each with a main.py and a function.json."
  type        = string

  validation {
    condition     = length(fileset(var.functions_folder, "*/{function.json,main.py}")) > 0
    error_message = "functions_folder must be a folder with at least one function in it."
  }
}
