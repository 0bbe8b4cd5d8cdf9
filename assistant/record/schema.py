"""The journal's rows as a format: what each kind of row tells once its body is unpacked."""

from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, RootModel, create_model

from assistant.files import Format
from assistant.record.chain import BYTES
from assistant.record.rows import KINDS
from assistant.record.seen import LEDGER, SIGHTS


def row_form() -> type[BaseModel]:
    """Return the format of a row of the table `events`, which is one of all kinds."""
    rows: list[Any] = [_row(kind, form) for kind, form in {**KINDS, **SIGHTS, **LEDGER}.items()]
    any_row: Any = Annotated[reduce(or_, rows), Field(discriminator="kind")]
    doc = "A row of the table `events` of a journal (`overtable.journal/2`), its body unpacked."
    return create_model("JournalRow", __base__=RootModel[any_row], __doc__=doc)


def _row(kind: str, form: type) -> type[Format]:
    chain = Field(pattern=f"^[0-9a-f]{{{2 * BYTES}}}$", description="Digest of this row and all before it.")
    fields: dict[str, Any] = {
        "id": (int, Field(ge=1)),
        "captured_ns": (int, ...),
        "kind": (Literal[kind], ...),
        "body": (form, ...),
        "chain": (str, chain),
    }
    return create_model(f"{kind}Row", __base__=Format, **fields)
