"""TypeScript types of the messages, written for the pages: ``python -m assistant.web.typescript``."""

import types
from pathlib import Path
from typing import Annotated, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from assistant.web.commands import FromPage
from assistant.web.messages import ToPage
from assistant.web.messages.message import AsType
from assistant.web.messages.past import FromPast

FILE = Path(__file__).parent / "static" / "messages.d.ts"
HEADER = "// Generated from messages/ and commands.py by `python -m assistant.web.typescript`; edit those instead.\n"
PRIMITIVES = {str: "string", int: "number", float: "number", bool: "boolean", types.NoneType: "null"}


def render_typescript() -> str:
    """Return the declarations of every message and of all that messages are made of.

    What the server sends always has every field; a page may leave out the fields that have a default.
    """
    to_page, from_page = _collect_models(ToPage | FromPast), _collect_models(FromPage)
    parts = [HEADER]
    parts += [_render_interface(model, leave_out=False) for model in to_page]
    parts += [_render_interface(model, leave_out=True) for model in from_page]
    parts += [
        f"export type {name} = {_render_type(union)};\n" for name, union in (("ToPage", ToPage), ("FromPage", FromPage))
    ]
    return "\n".join(parts)


def _collect_models(annotation: object) -> list[type[BaseModel]]:
    """All models that a type is made of, each after those that it needs."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        inner = [m for field in annotation.model_fields.values() for m in _collect_models(field.annotation)]
        return list(dict.fromkeys([*inner, annotation]))
    return list(dict.fromkeys(model for arg in get_args(annotation) for model in _collect_models(arg)))


def _render_interface(model: type[BaseModel], *, leave_out: bool) -> str:
    lines = [_render_comment(model.__doc__), f"export interface {model.__name__} {{"]
    for name, field in model.model_fields.items():
        lines.append(_render_comment(field.description, indent="  "))
        optional = "?" if leave_out and not field.is_required() else ""
        lines.append(f"  {name}{optional}: {_render_field_type(field)};")
    return "\n".join(line for line in lines if line) + "\n}\n"


def _render_field_type(field: FieldInfo) -> str:
    types_given = (mark.typescript for mark in field.metadata if isinstance(mark, AsType))
    return next(types_given, None) or _render_type(field.annotation)


def _render_type(annotation: object) -> str:
    args = get_args(annotation)
    match get_origin(annotation):
        case None if isinstance(annotation, type):
            return PRIMITIVES.get(annotation, annotation.__name__)
        case origin if origin is Annotated:
            return _render_type(args[0])
        case origin if origin is Literal:
            return " | ".join(f'"{value}"' for value in args)
        case origin if origin in {Union, types.UnionType}:
            return " | ".join(_render_type(arg) for arg in args)
        case origin if origin is dict:
            return f"Record<{_render_type(args[0])}, {_render_type(args[1])}>"
        case origin if origin is list or (origin is tuple and Ellipsis in args):
            return f"Array<{_render_type(args[0])}>"
        case origin if origin is tuple:
            return f"[{', '.join(_render_type(arg) for arg in args)}]"
    raise TypeError(f"{annotation} has no TypeScript counterpart here")


def _render_comment(text: str | None, indent: str = "") -> str:
    return f"{indent}/** {' '.join(text.split())} */" if text else ""


if __name__ == "__main__":
    FILE.write_text(render_typescript(), encoding="utf-8")
