"""Camera addresses: what of a camera's address may be shown, and by which it is known.

A network camera's address may hold a name, a password, and parameters that are as good as one.  They are passed on to
the camera and shown nowhere: whatever shows, writes or logs an address shows what `redact_address` makes of it.
"""

import re
from urllib.parse import parse_qsl, urlencode, urlsplit

from hardware.errors import BadSource

REDACTED = "***"
SECRET_WORDS = ("user", "usr", "login", "pass", "pwd", "token", "auth", "key", "secret", "sig")
"""What the names of parameters that tell secrets contain."""
LOCAL_PREFIXES = ("usb:", "file:", "images:", "virtual:")
"""Sources that are no addresses."""
_EXAMPLE_ADDRESS = "rtsp://192.168.0.5/stream"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*:/*)(.*)", re.DOTALL)
_ADDRESS_IN_TEXT = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,19}://[^\s\"<>]+")
_PARAMETER = re.compile(r"([?&;])([^=&;#]*)(=?)[^&;#]*")


def redact_address(address: str) -> str:
    """Return a source as it may be shown, with stars for what is secret in it.

    Whatever might be a password is taken for one: it may hold signs that have another meaning in an address.

    >>> redact_address("rtsp://me:pa/ss@10.0.0.5:554/one?two=3")
    'rtsp://me:***@10.0.0.5:554/one?two=3'
    >>> redact_address("http://10.0.0.5/get?user=me&Password=secret&channel=2")
    'http://10.0.0.5/get?user=***&Password=***&channel=2'
    >>> redact_address("usb:0")
    'usb:0'
    """
    if address.startswith(LOCAL_PREFIXES):
        return redact_text(address)
    return _redact(address)


def redact_text(text: str) -> str:
    """Return a text with stars for what is secret in the addresses that stand in it."""
    return _ADDRESS_IN_TEXT.sub(lambda match: _redact(match[0]), text)


def identify_camera(address: str) -> str:
    """Return the address by which a network camera is known: without the name and password, nor parameters like them.

    Raises:
        BadSource: it has no host.

    """
    redacted = redact_address(address)
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:  # whose text may hold a part of a password
        raise BadSource(f"camera source '{redacted}' is not an address: expected one like {_EXAMPLE_ADDRESS}") from None
    if not host:
        raise BadSource(f"camera source '{redacted}' names no host: expected an address like {_EXAMPLE_ADDRESS}")
    if "@" in redacted and "@" not in parts.netloc:  # a password with a sign that ends a host
        return redacted
    netloc = host if port is None else f"{host}:{port}"
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    public = [pair for pair in pairs if not _is_secret(pair[0])]
    query = parts.query if len(public) == len(pairs) else urlencode(public)
    return parts._replace(netloc=netloc, query=query).geturl()


def _redact(address: str) -> str:
    match = _SCHEME.fullmatch(address)
    scheme, remainder = (match[1], match[2]) if match else ("", address)
    if scheme and not scheme.endswith("/") and "@" in remainder:  # a name and a password without a scheme before them
        scheme, remainder = "", address
    return scheme + _hide_parameters(_hide_person(remainder))


def _hide_person(rest: str) -> str:
    """Return what follows a scheme without the password, whatever signs it holds."""
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    _, colon, port = authority.rpartition(":")
    person, at, place = rest.rpartition("@")
    if at and ("@" in authority or colon):
        name, colon, _ = person.partition(":")
        return f"{name}:{REDACTED}@{place}" if colon else f"{REDACTED}@{place}"
    if colon and not authority.startswith("[") and not port.isdecimal():  # half an address, with half a password
        return f"{authority.partition(':')[0]}:{REDACTED}"
    return rest


def _hide_parameters(rest: str) -> str:
    return _PARAMETER.sub(
        lambda match: f"{match[1]}{match[2]}={REDACTED}" if match[3] and _is_secret(match[2]) else match[0],
        rest,
    )


def _is_secret(name: str) -> bool:
    return any(part in name.lower() for part in SECRET_WORDS)
