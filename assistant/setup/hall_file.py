"""The hall file: where a table finds its hall, and what it is let in by (`overtable.hall/1`).

It is a small JSON file for each table, and the same as a QR code on a sheet, of which a photo will do.  Whoever runs a
table names it to the program, in the set-up file or on the set-up page: all of them read it here.
"""

import base64
import re
import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import cv2
import numpy as np
from cryptography import x509
from pydantic import Field

from assistant.errors import BadInput
from assistant.files.documents import Format, check, parse_json, read_json

SERVER_NAME = "overtable-hall"
"""What the broker's certificate is made out to, whatever the address of its machine is at the venue."""
TABLE_NAME = re.compile("[A-Za-z0-9_-]{1,32}")
PICTURES = frozenset({".png", ".jpg", ".jpeg"})
MOST_PICTURE_BYTES = 40_000_000
MOST_SENT_BYTES = 8_000_000
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

    def check_date(self, name: str) -> None:
        """Raise BadInput where the hall's certificates are over by this machine's clock, or not valid yet."""
        authority = x509.load_der_x509_certificate(base64.b64decode(self.authority))
        began, ends, now = authority.not_valid_before_utc, authority.not_valid_after_utc, datetime.now(UTC)
        if not began <= now <= ends:
            raise BadInput(
                f"{name}: it is valid from {began:%Y-%m-%d} to {ends:%Y-%m-%d}, and here it is {now:%Y-%m-%d}: look at"
                " this machine's date, or take the file, or a photo of the sheet, of this event"
            )


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
    if path.suffix.lower() not in PICTURES:
        return _check_authority(read_json(path, HallFile), str(path))
    try:
        with path.open("rb") as file:
            data = file.read(MOST_PICTURE_BYTES)
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
    return _read_picture(data, str(path))


def check_picture_size(data: bytes, name: str) -> None:
    """Raise BadInput where a picture is larger than any photo that a page sends."""
    if len(data) > MOST_SENT_BYTES:
        raise BadInput(f"{name}: it is larger than any photo of a sheet: {MOST_SENT_BYTES // 1_000_000} MB at most")


def parse_hall_file(data: bytes, name: str) -> HallFile:
    """Return what a hall file, or a picture of the sheet, comes to of which these are the bytes; else BadInput."""
    if data.lstrip().startswith(b"{"):
        return _parse(data.decode(errors="replace"), name, "this is no hall's file; load that of this table")
    return _read_picture(data, name)


def _read_picture(data: bytes, name: str) -> HallFile:
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE) if data else None
    except cv2.error:
        image = None
    if image is None:
        raise BadInput(f"{name}: this is no picture that can be read")
    text, *_ = cv2.QRCodeDetectorAruco().detectAndDecode(image)
    if not text:
        raise BadInput(
            f"{name}: no QR code was read in it; take the photo straight from above, with the code filling it"
        )
    return _parse(text, name, "its QR code is none of a hall's; photograph the sheet of this table")


def _parse(text: str, name: str, otherwise: str) -> HallFile:
    try:
        data = parse_json(text)
    except (ValueError, RecursionError):
        raise BadInput(f"{name}: {otherwise}") from None
    return _check_authority(check(data, HallFile, name), name)


def _check_authority(hall: HallFile, name: str) -> HallFile:
    try:
        hall.build_context()
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None
    return hall
