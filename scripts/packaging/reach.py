"""Which files of shared/ a function can reach, by reading its imports without running them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from scripts.packaging.errors import CannotPackError

PACKAGE = "shared"


def reachable(main: Path, root: Path) -> set[Path]:
    """The modules that main.py imports, at once or later, directly or not, and the data that belongs to them."""
    found: set[Path] = set()
    waiting = [main]
    while waiting:
        for module in _imported_by(waiting.pop(), root) - found:
            found.add(module)
            waiting.append(module)
    return found | {file for module in found for file in _data_of(module)}


def _imported_by(file: Path, root: Path) -> set[Path]:
    names = _names(ast.parse(file.read_text("utf-8"), file.name), file)
    return {module for name in names for module in _modules(name, root)}


def _names(node: ast.AST, file: Path) -> Iterator[str]:
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return  # read by mypy alone
        case ast.Import(names=aliases):
            yield from (alias.name for alias in aliases)
        case ast.ImportFrom(level=0, module=str(module), names=aliases):
            yield from (f"{module}.{alias.name}" for alias in aliases)
        case ast.ImportFrom():
            raise CannotPackError(f"{file}, line {node.lineno}: write the import with its full name, from {PACKAGE}")
        case ast.Constant(value=str(text)) if text.startswith(f"{PACKAGE}."):
            yield text  # what importlib.import_module is given
    for child in ast.iter_child_nodes(node):
        yield from _names(child, file)


def _modules(name: str, root: Path) -> Iterator[Path]:
    """The files that importing `shared.a.b` runs: each package on the way, and the module, if it is one."""
    parts = name.split(".")
    if parts[0] != PACKAGE:
        return
    for length in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:length])
        yield from (file for file in (place / "__init__.py", place.with_suffix(".py")) if file.is_file())


def _data_of(module: Path) -> Iterator[Path]:
    """Data goes with the module that has its name; what no module has the name of goes with its package."""
    if module.name == "__init__.py":
        owned = [entry for entry in module.parent.iterdir() if not entry.with_suffix(".py").is_file()]
    else:
        owned = [entry for entry in module.parent.iterdir() if entry.stem == module.stem]
    for entry in owned:
        if entry.is_file():
            yield from _only_data([entry])
        elif not any(entry.rglob("*.py")):
            yield from _only_data(sorted(entry.rglob("*")))


def _only_data(files: list[Path]) -> Iterator[Path]:
    return (file for file in files if file.is_file() and file.suffix not in {".py", ".pyc"})
