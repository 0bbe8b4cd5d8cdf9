"""Minimising: a contradiction's situation with everything left out that it does not take."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from tests.trials.bounds import OutOfTime, limit_seconds
from tests.trials.trial import Contradiction, Document

_MOST_SECONDS = 30.0


def minimise(found: Contradiction, most_seconds: float = _MOST_SECONDS) -> Contradiction:
    """Return a contradiction of the same kind in as small a situation as leaving out one thing at a time comes to.

    Args:
        found: the contradiction.
        most_seconds: how much of the processor's time is spent on it.

    """
    with suppress(OutOfTime), limit_seconds(most_seconds):
        smaller: Contradiction | None = found
        while smaller is not None:
            found, smaller = smaller, None
            for document in (found.list_smaller or _list_smaller)(found.document) if found.document else ():
                seen = _look_kindly(found.look, document)
                if seen is not None and seen.kind == found.kind:
                    smaller = replace(seen, look=found.look)
                    break
    return found


def _look_kindly(look: Callable[[Document], Contradiction | None], document: Document) -> Contradiction | None:
    """Return what is found of a smaller situation; one in which nothing can be asked any more has no contradiction."""
    try:
        return look(document)
    except Exception:  # whatever a smaller situation breaks, it is not what is looked for
        return None


def _list_smaller(document: Document) -> Iterator[Document]:
    """Yield a situation with one thing less, the largest things first."""
    move = document.get("move") or {}
    for index, unit in enumerate(document["units"]):
        if unit["id"] != move.get("unit"):
            yield {**document, "units": _drop(document["units"], index)}
    for index in range(len(document["terrain"])):
        yield {**document, "terrain": _drop(document["terrain"], index)}
    for index, unit in enumerate(document["units"]):
        for at in range(len(unit["models"]) if len(unit["models"]) > 1 else 0):
            smaller = {**unit, "models": _drop(unit["models"], at)}
            rest = _drop_path(document, unit["models"][at]["id"])
            yield {**rest, "units": [*document["units"][:index], smaller, *document["units"][index + 1 :]]}
    for model, path in move.get("paths", {}).items():
        if len(move["paths"]) > 1:
            yield _drop_path(document, model)
        for at in range(1, len(path) - 1):
            yield {**document, "move": {**move, "paths": {**move["paths"], model: _drop(path, at)}}}
    yield from _list_plainer(document)


def _list_plainer(document: Document) -> Iterator[Document]:
    """Yield a situation with one thing said less about what is in it."""
    for index, terrain in enumerate(document["terrain"]):
        others = document["terrain"][:index], document["terrain"][index + 1 :]
        for at in range(len(terrain["outline_mm"]) if len(terrain["outline_mm"]) > 3 else 0):
            plainer = {**terrain, "outline_mm": _drop(terrain["outline_mm"], at)}
            yield {**document, "terrain": [*others[0], plainer, *others[1]]}
    for index, unit in enumerate(document["units"]):
        others = document["units"][:index], document["units"][index + 1 :]
        for key in ("keywords", "status"):
            if unit.get(key):
                yield {**document, "units": [*others[0], {**unit, key: []}, *others[1]]}
        if any((model["pose"] or {}).get("sigma_mm") for model in unit["models"]):
            exact = [
                {**model, "pose": model["pose"] and {**model["pose"], "sigma_mm": 0.0}} for model in unit["models"]
            ]
            yield {**document, "units": [*others[0], {**unit, "models": exact}, *others[1]]}
    for name in document.get("parameters", {}):
        yield {**document, "parameters": {key: value for key, value in document["parameters"].items() if key != name}}


def _drop(items: list[Any], index: int) -> list[Any]:
    return [*items[:index], *items[index + 1 :]]


def _drop_path(document: Document, model: str) -> Document:
    move = document.get("move")
    if not move or model not in move.get("paths", {}):
        return document
    paths = {each: path for each, path in move["paths"].items() if each != model}
    return {**document, "move": {**move, "paths": paths}}
