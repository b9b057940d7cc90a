"""What a function runs and loads, told from its source: imports at the top, later ones, and settings it reads.

The body of a function counts only where something that runs names it, so that a function which never calls
`compose.ledger` is not said to need a database. An import that may fail is not needed.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
OURS = ("shared", "tests", "scripts")
ALL = "*"


@dataclass(frozen=True, slots=True)
class Reach:
    """What can run once a main.py was imported."""

    external: frozenset[str]
    ours: frozenset[str]
    settings: frozenset[str]
    """Classes whose `from_env` is called, as `package.module.Class`."""


@dataclass(slots=True)
class _Module:
    """The source of one module, and which of its names others ask for."""

    name: str
    tree: ast.Module
    aliases: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, name: str, path: Path) -> _Module:
        module = cls(name, ast.parse(path.read_text("utf-8")))
        for node in ast.walk(module.tree):
            for local, target in _bound(node):
                module.aliases[local] = target
        return module

    def running(self, wanted: set[str]) -> list[ast.AST]:
        """Every node that can run if others use the names `wanted`."""
        functions = {node.name: node for node in self.tree.body if isinstance(node, ast.FunctionDef)}
        nodes = [each for top in self.tree.body if not isinstance(top, ast.FunctionDef) for each in _live(top)]
        todo = list(functions) if ALL in wanted else [name for name in wanted if name in functions]
        done: set[str] = set()
        while True:
            named = {node.id for node in nodes if isinstance(node, ast.Name)}
            todo += [name for name in functions if name in named]
            fresh = [name for name in dict.fromkeys(todo) if name not in done]
            if not fresh:
                return nodes
            done.update(fresh)
            nodes += [node for name in fresh for node in _live(functions[name])]

    def dotted(self, node: ast.AST) -> str | None:
        """The full name of an expression such as `gcs.GCSSettings`."""
        if isinstance(node, ast.Name):
            return self.aliases.get(node.id, f"{self.name}.{node.id}")
        if isinstance(node, ast.Attribute):
            owner = self.dotted(node.value)
            return owner and f"{owner}.{node.attr}"
        return None

    def text(self, node: ast.AST) -> str | None:
        """A string, or the constant of this module that holds one."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        for top in self.tree.body:
            match top:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))):
                    if isinstance(node, ast.Name) and node.id == name:
                        return text
        return None


@cache
def reach(main: Path) -> Reach:
    wanted: dict[str, set[str]] = defaultdict(set)
    modules = {"main": _Module.read("main", main)}
    external: set[str] = set()
    settings: set[str] = set()
    waiting = {"main"}
    wanted["main"] = {ALL}
    while waiting:
        module = modules[waiting.pop()]
        for node in module.running(wanted[module.name]):
            for target in _targets(module, node):
                settings |= {target.removesuffix(".from_env")} if target.endswith(".from_env") else set()
                if target.split(".")[0] not in OURS:
                    external |= {target} if _is_import(node) else set()
                    continue
                for name, asked in _asked(target):
                    if name not in modules:
                        modules[name] = _Module.read(name, _path(name))
                    if name not in wanted or asked not in wanted[name]:
                        wanted[name].add(asked)
                        waiting.add(name)
    return Reach(frozenset(external), frozenset(modules) - {"main"}, frozenset(settings))


def _targets(module: _Module, node: ast.AST) -> Iterator[str]:
    """What a node names outside of its module."""
    yield from (target for _, target in _bound(node))
    if isinstance(node, ast.Attribute) and (name := module.dotted(node)):
        yield name
    if (given := _imported_by_name(node)) is not None and (text := module.text(given)):
        yield f"{text}.{ALL}"


def _is_import(node: ast.AST) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom) or _imported_by_name(node) is not None


def _imported_by_name(node: ast.AST) -> ast.AST | None:
    match node:
        case ast.Call(func=ast.Attribute(attr="import_module"), args=[given, *_]):
            return given
    return None


def _bound(node: ast.AST) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Import(names=names):
            yield from ((alias.asname or alias.name.split(".")[0], alias.name) for alias in names)
        case ast.ImportFrom(module=str(source), names=names, level=0):
            yield from ((alias.asname or alias.name, f"{source}.{alias.name}") for alias in names)


def _asked(target: str) -> Iterator[tuple[str, str]]:
    """The modules of ours that importing `shared.a.b` runs, each with the name asked of it."""
    parts = target.split(".")
    for length in range(1, len(parts) + 1):
        name = ".".join(parts[:length])
        if _path(name).is_file():
            yield name, parts[length] if length < len(parts) else ""


def _path(name: str) -> Path:
    place = ROOT.joinpath(*name.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def _live(node: ast.AST) -> Iterator[ast.AST]:
    """This node and those in it that run, without what only a type checker reads or what may be missing."""
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.Try(handlers=[ast.ExceptHandler(type=ast.Name(id="ModuleNotFoundError" | "ImportError")), *_]):
            return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _live(child)
