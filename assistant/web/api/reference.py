"""The reference page of the interface for programs, made from its OpenAPI description: one page without a script."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

Described = Mapping[str, Any]
"""A part of the description."""


def render_reference(description: Described) -> str:
    """Return the page."""
    about = description["info"]
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8" />',
        '<meta name="viewport" content="width=device-width, initial-scale=1" />',
        "<title>overtable: the interface for programs</title>",
        '<link rel="icon" href="/static/common/mark.svg" />',
        '<link rel="stylesheet" href="/static/common/style.css" />',
        '<link rel="stylesheet" href="/static/api/reference.css" />',
        '</head>\n<body class="reference">\n<main>',
        f"<h1>The interface for programs, version {escape(about['version'])}</h1>",
        f"<p>{_mark_code(about['description'])}</p>",
        '<p>The same as a file for programs: <a href="/api/1/openapi.json">openapi.json</a>.</p>',
        *(part for path, by_method in description["paths"].items() for part in _render_path(path, by_method["get"])),
        "<h2>Documents</h2>",
        *(
            part
            for name, schema in description["components"]["schemas"].items()
            for part in _render_schema(name, schema)
        ),
        "</main>\n</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _render_path(path: str, asked: Described) -> Iterator[str]:
    yield f"<h2><code>GET /api/1{escape(path)}</code></h2>"
    yield f"<p>{_mark_code(asked['description'])}</p>"
    if asked.get("parameters"):
        yield "<table><thead><tr><th>parameter</th><th>what it may be</th></tr></thead><tbody>"
        for each in asked["parameters"]:
            needed = "" if each.get("required") else ", may be left out"
            name, value = escape(each["name"]), _describe_type(each["schema"])
            yield f"<tr><td><code>{name}</code></td><td>{value}{needed}</td></tr>"
        yield "</tbody></table>"
    for status, answer in asked["responses"].items():
        for kind, content in answer.get("content", {}).items():
            if status == "200":
                yield f"<p>Answers {_describe_type(content['schema'])} ({escape(kind)}).</p>"


def _render_schema(name: str, schema: Described) -> Iterator[str]:
    yield f'<h3 id="{escape(name)}">{escape(name)}</h3>'
    yield f"<p>{_mark_code(schema.get('description', ''))}</p>"
    if schema.get("properties"):
        yield "<table><thead><tr><th>key</th><th>value</th><th>meaning</th></tr></thead><tbody>"
        for key, value in schema["properties"].items():
            meaning = _mark_code(value.get("description", ""))
            yield f"<tr><td><code>{escape(key)}</code></td><td>{_describe_type(value)}</td><td>{meaning}</td></tr>"
        yield "</tbody></table>"


def _describe_type(schema: Described) -> str:
    """Return what a value may be, with links to the documents that it is made of."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f'<a href="#{escape(name)}">{escape(name)}</a>'
    if "const" in schema:
        return f"<code>{escape(str(schema['const']))}</code>"
    if "enum" in schema:
        return " or ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return " or ".join(_describe_type(each) for each in schema[key])
    kind = schema.get("type", "anything")
    if "prefixItems" in schema:
        return f"[{', '.join(map(_describe_type, schema['prefixItems']))}]"
    if kind == "array":
        return f"a list of {_describe_type(schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"{_describe_type(schema['additionalProperties'])} by id"
    return " or ".join(map(escape, kind)) if isinstance(kind, list) else escape(kind)


def _mark_code(text: str) -> str:
    """Return a sentence as HTML, with what stands in backquotes as code."""
    parts = escape(" ".join(text.split()), quote=False).replace("``", "`").split("`")
    return "".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts))
