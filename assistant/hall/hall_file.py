"""The hall file: where a table finds its hall, and what it is let in by (`overtable.hall/1`).

It is a small JSON file for each table, and the same as a QR code on a sheet, of which a photo will do.
"""

import base64
import json
import ssl
from pathlib import Path
from typing import Annotated, Literal

import cv2
from pydantic import Field

from assistant.errors import BadInput
from assistant.files.documents import Format, check, read_json
from assistant.hall.messages import TABLE_NAME

SERVER_NAME = "overtable-hall"
"""What the broker's certificate is made out to, whatever the address of its machine is at the venue."""
PICTURES = frozenset({".png", ".jpg", ".jpeg"})
PORT = 4222
Secret = Annotated[str, Field(min_length=8, max_length=100, repr=False)]


class HallFile(Format):
    """Where a table finds its hall, and what it is let in by."""

    format: Literal["overtable.hall/1"]
    hall: Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
    """By which this hall is told from every other."""
    event: Annotated[str, Field(min_length=1, max_length=100)]
    """What the event is called."""
    table: Annotated[str, Field(pattern=f"^{TABLE_NAME.pattern}$")]
    """Which table this file is for."""
    servers: Annotated[
        tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9.\[\]:-]{3,200}$")], ...], Field(min_length=1, max_length=10)
    ]
    """Addresses of the broker, host:port; they are tried one after another."""
    password: Secret
    """The table's own."""
    authority: Annotated[str, Field(min_length=100, max_length=4000)]
    """The certificate that vouches for the broker's: DER, base64."""

    @property
    def user(self) -> str:
        """The name by which the broker knows the table."""
        return name_user(self.table)

    def build_context(self) -> ssl.SSLContext:
        """Return what the connection is encrypted with: only whom its authority vouches for is taken for the hall.

        Raises:
            BadInput: the authority is no certificate.

        """
        try:
            context = ssl.create_default_context(cadata=base64.b64decode(self.authority, validate=True))
        except (ValueError, ssl.SSLError):
            raise BadInput(
                "authority: it is no certificate; take the hall's file again, or a photo of its sheet"
            ) from None
        return context


def name_user(table: str) -> str:
    """Return the name by which the broker knows a table.

    >>> name_user("7")
    'table-7'
    """
    return f"table-{table}"


def read_hall_file(path: Path) -> HallFile:
    """Read a hall file, or a picture of the sheet with its QR code.

    Raises:
        BadInput: it is not there, does not fit, or shows no such code.

    """
    hall = _read_picture(path) if path.suffix.lower() in PICTURES else read_json(path, HallFile)
    try:
        hall.build_context()
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    return hall


def _read_picture(path: Path) -> HallFile:
    if not path.is_file():
        raise BadInput(f"{path}: there is no such file")
    image = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    if image is None:
        raise BadInput(f"{path}: this is no picture that can be read")
    text, *_ = cv2.QRCodeDetectorAruco().detectAndDecode(image)
    if not text:
        raise BadInput(
            f"{path}: no QR code was read in it; take the photo straight from above, with the code filling it"
        )
    return check(_parse(text, path), HallFile, str(path))


def _parse(text: str, path: Path) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput(f"{path}: its QR code is none of a hall's; photograph the sheet of this table") from None
