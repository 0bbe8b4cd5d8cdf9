"""Source names: what there is in the repository for a page to name, read from the files and not by importing them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("hardware", "calibration", "vision", "assistant", "tests")


@dataclass(frozen=True, kw_only=True)
class SourceNames:
    """Modules by their dotted name with the names in each, and the same for classes."""

    modules: dict[str, set[str]] = field(default_factory=dict)
    classes: dict[str, set[str]] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)

    def resolves(self, dotted: str) -> bool:
        """Whether a dotted name is a package, a module, something in one, or a member of a class in one."""
        parts = dotted.split(".")
        for size in range(len(parts), 0, -1):
            members = self.modules.get(".".join(parts[:size]))
            if members is not None:
                rest = parts[size:]
                return not rest or (rest[0] in members and (len(rest) == 1 or self.is_member(*rest[:2])))
        return False

    def is_member(self, owner: str, name: str) -> bool:
        """Whether a class has a method or a field of that name, its own or that of another class it is made of."""
        return name in self.classes.get(owner, ())


def iterate_targets(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement gives a meaning to."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id
    elif isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def iterate_blocks(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield a module and all that has statements in it: expressions, most of the nodes, define no names."""
    nodes: list[ast.AST] = [tree]
    for node in nodes:  # which grows on the way
        nodes += (
            each for block in ("body", "orelse", "handlers", "finalbody", "cases") for each in getattr(node, block, ())
        )
        yield node


@cache
def read_source_names() -> SourceNames:
    """Read all modules of the repository."""
    names, bases = SourceNames(), dict[str, list[str]]()
    for room in (*(ROOT / each for each in ROOMS), ROOT):
        for path in room.rglob("*.py") if room != ROOT else room.glob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            for size in range(1, len(parts)):
                names.modules.setdefault(".".join(parts[:size]), set())
            tree = ast.parse(path.read_text(encoding="utf-8"))
            dotted = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            names.modules.setdefault(dotted, set()).update(name for node in tree.body for name in iterate_targets(node))
            for node in iterate_blocks(tree):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    names.functions.add(node.name)
                elif isinstance(node, ast.ClassDef):
                    members = (name for statement in node.body for name in iterate_targets(statement))
                    names.classes.setdefault(node.name, set()).update(members)
                    bases.setdefault(node.name, []).extend(b.id for b in node.bases if isinstance(b, ast.Name))
    for name, parents in bases.items():
        for parent in parents:
            names.classes[name] |= names.classes.get(parent, set())
    return names
