"""The live schema: what is said on the live socket, both ways, as one JSON Schema (``overtable schema live``).

It is made of the messages themselves.  Of a delta, which Python leaves open, it says what may stand in each section:
any of the fields of that section's values.
"""

from typing import Any

from pydantic import TypeAdapter

from assistant.web.commands import FromPage
from assistant.web.messages import Delta, Full, Refused, ToPage

Schema = dict[str, Any]
ABOUT = """What is said at `/api/1/live`. First comes one `full` message with all that a role sees, then `delta`
messages numbered without a gap: `set` holds what is new by section and key, of a value that was there before only the
fields that changed; `gone` holds the keys that are there no longer. Whoever misses a number sends `resync`, and a
`full` comes again. `refused` says why what was sent last was not done. A receiver passes over sections, fields and
types of message that it does not know: version 1 may grow by them."""


def build_live_schema() -> Schema:
    """Return the schema: as a whole of what the table says, with what it takes under ``$defs/FromProgram``."""
    said: TypeAdapter[Any] = TypeAdapter(ToPage)
    taken: TypeAdapter[Any] = TypeAdapter(FromPage)
    schemas, whole = TypeAdapter.json_schemas(
        [("said", "serialization", said), ("taken", "validation", taken)], ref_template="#/$defs/{model}"
    )
    parts: dict[str, Schema] = whole["$defs"]
    view = parts["View"]["properties"]
    parts["Delta"]["properties"]["set"] = {
        "description": Delta.model_fields["set"].description,
        "type": "object",
        "properties": {section: _describe_changes(parts, part) for section, part in view.items()},
        "additionalProperties": False,
    }
    parts["Delta"]["properties"]["gone"]["propertyNames"] = {"enum": list(view)}
    parts["FromProgram"] = schemas["taken", "validation"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "overtable.live/1",
        "description": " ".join(ABOUT.split()),
        "oneOf": [{"$ref": f"#/$defs/{message.__name__}"} for message in (Full, Delta, Refused)],
        "$defs": dict(sorted(parts.items())),
    }


def _describe_changes(parts: dict[str, Schema], section: Schema) -> Schema:
    """Return what a delta may hold of a section, and add what it may hold of its values to the parts."""
    name = section["additionalProperties"]["$ref"].rpartition("/")[2]
    changed = f"{name}Changes"
    whole = {key: value for key, value in parts[name].items() if key not in {"required", "title"}}
    parts[changed] = {**whole, "title": changed}
    return {"type": "object", "additionalProperties": {"$ref": f"#/$defs/{changed}"}}
