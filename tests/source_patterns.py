"""Source patterns: every regular expression in the source, compiled or inline, found through its syntax."""

import ast
import importlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from tests.docs.source_names import ROOT
from tests.pattern_growth import Use

ROOMS = ("hardware", "calibration", "vision", "assistant")
_USES: dict[str, Use] = {
    "fullmatch": "whole",
    "match": "start",
    **dict.fromkeys(("search", "findall", "finditer", "sub", "subn", "split"), "anywhere"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePattern:
    """A pattern, where it stands, and how it is used there."""

    where: str
    pattern: str | bytes
    flags: int
    use: Use


@cache
def list_source_patterns() -> tuple[SourcePattern, ...]:
    """Return every pattern with every use of it."""
    paths = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    trees = {path: ast.parse(text) for path in paths if "import re\n" in (text := path.read_text(encoding="utf-8"))}
    used = [node for tree in trees.values() for node in ast.walk(tree) if _is_use(node)]
    return tuple(each for path, tree in trees.items() for each in _list_patterns(path, tree, used))


def _is_use(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in _USES


def _list_patterns(path: Path, tree: ast.Module, used: list[ast.AST]) -> Iterator[SourcePattern]:
    place = path.relative_to(ROOT)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for call in filter(_takes_pattern, ast.walk(tree)):
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Attribute)
        above = [call, *_climb(call, parents)]
        function = next((node for node in above if isinstance(node, ast.FunctionDef)), None)
        reader = _Reader(vars(importlib.import_module(".".join(place.with_suffix("").parts))), function)
        verb = call.func.attr
        given = [each.value for each in call.keywords if each.arg == "flags"]
        given += call.args[1 if verb == "compile" else 2 :][:1] if verb not in ("sub", "subn", "split") else []
        flags = int(eval(ast.unparse(given[0]), {"re": re})) if given else 0
        for use in {_USES[verb]} if verb in _USES else _find_uses(above, tree, used):
            for pattern in reader.read(call.args[0]):
                yield SourcePattern(where=f"{place}:{call.lineno}", pattern=pattern, flags=flags, use=use)


def _climb(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[ast.AST]:
    while node in parents:
        node = parents[node]
        yield node


def _takes_pattern(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=verb)):
            return verb in _USES or verb == "compile"
    return False


def _find_uses(above: Sequence[ast.AST], tree: ast.Module, used: list[ast.AST]) -> set[Use]:
    """Return how a compiled pattern is used that stands below some nodes; in all ways where that cannot be told."""
    names = set[str]()
    for node in above:
        match node:
            case ast.keyword(arg=str(name)):
                names.add(name)
                break
            case ast.Assign(targets=[ast.Tuple(elts=named)], value=ast.Tuple(elts=ends)):
                names |= {
                    each.id
                    for each, end in zip(named, ends, strict=True)
                    if end in above and isinstance(each, ast.Name)
                }
                break
            case ast.Assign(targets=[ast.Name(id=name)]):
                names.add(name)
                break
    for node in ast.walk(tree):
        match node:
            case ast.For(target=ast.Name(id=each), iter=ast.Name(id=name)) if name in names:
                names.add(each)
    return {_USES[verb] for verb, name in map(_name_use, used) if name in names} or set(_USES.values())


def _name_use(node: ast.AST) -> tuple[str, str]:
    match node:
        case ast.Attribute(attr=verb, value=ast.Name(id=name) | ast.Attribute(attr=name)):
            return verb, name
    return "", ""


class _Reader:
    """Reads what text an expression comes to: all that it may be, and a word where nothing can be told."""

    def __init__(self, module: dict[str, Any], function: ast.FunctionDef | None) -> None:
        self.module = module
        self.local = dict[str, list[ast.expr]]()
        for node in ast.walk(function) if function else ():
            match node:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AugAssign(target=ast.Name(id=name), value=value)
                ):
                    self.local.setdefault(name, []).append(value)
                case ast.comprehension(target=ast.Name(id=name), iter=value):
                    self.local.setdefault(name, []).append(value)

    def read(self, node: ast.expr) -> list[Any]:
        match node:
            case ast.Constant(value=str() | bytes() as text):
                return [text]
            case ast.JoinedStr(values=values):
                return ["".join(parts) for parts in product(*map(self.read, values))]
            case ast.FormattedValue(value=value):
                return self.read(value)
            case ast.IfExp(body=one, orelse=other):
                return self.read(one) + self.read(other)
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                return [text for element in elements for text in self.read(element)]
            case ast.Name(id=name) if name in self.local:
                return [text for value in self.local[name] for text in self.read(value)]
        try:
            return [str(eval(ast.unparse(node), self.module))]
        except NameError:
            return ["(?:one|two)"]  # a word that is escaped before it comes into a pattern
