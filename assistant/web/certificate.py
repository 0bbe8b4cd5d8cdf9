"""The certificate by which pages are served encrypted: made by this machine for itself, and kept.

Browsers let a page use a phone's camera only where it came encrypted.  Nobody vouches for a machine in a living room,
so a browser asks once whether it is to be trusted; the fingerprint, which the host is shown, tells.
"""

import datetime
import hashlib
import ipaddress
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from assistant.files.documents import write_atomically

FILE = "certificate.pem"
LASTS = datetime.timedelta(days=820)
"""Some systems take no certificate that is to last longer than 825 days."""
RENEWED = datetime.timedelta(days=30)
"""Before its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What pages are served encrypted with."""

    context: ssl.SSLContext
    fingerprint: str
    """SHA-256, in pairs of digits, as browsers show it."""


def open_certificate(folder: Path, addresses: Sequence[str]) -> Certificate:
    """Return this machine's certificate; one is made where there is none, or none for these addresses.

    Args:
        folder: where it is kept, with its key, which only this user may read.
        addresses: under which other devices reach this machine, numbers and names.

    Raises:
        OSError: the folder cannot be made, or the key not be read.
        BadInput: it cannot be written there.

    """
    path = folder / FILE
    names = {"localhost", socket.gethostname().lower(), f"{socket.gethostname().lower()}.local", *addresses}
    found = _read(path)
    if found is None or not _covers(found, names):
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(path, _make(sorted(names)), private=True)
        found = _read(path)
        assert found is not None, "it was just written"
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(path)
    digest = hashlib.sha256(found.public_bytes(serialization.Encoding.DER)).hexdigest().upper()
    return Certificate(context=context, fingerprint=" ".join(digest[at : at + 2] for at in range(0, len(digest), 2)))


def keep_secret(path: Path, made: str) -> str:
    """Return a secret that was kept before; the one that was just made where none was.

    Raises:
        OSError: its folder cannot be made.
        BadInput: it cannot be written there.

    """
    try:
        if kept := path.read_text("ascii").strip():
            return kept
    except (OSError, ValueError):
        pass
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, made.encode(), private=True)
    return made


def _read(path: Path) -> x509.Certificate | None:
    try:
        return x509.load_pem_x509_certificate(path.read_bytes())
    except (OSError, ValueError):
        return None


def _covers(certificate: x509.Certificate, names: set[str]) -> bool:
    ends = certificate.not_valid_after_utc
    if ends - RENEWED < datetime.datetime.now(datetime.UTC):
        return False
    held = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    covered = {*held.get_values_for_type(x509.DNSName), *map(str, held.get_values_for_type(x509.IPAddress))}
    return names <= covered


def make_authority(name: str) -> bytes:
    """Return a key and its own certificate, as PEM, by which others can be vouched for with `issue_certificate`."""
    key = ec.generate_private_key(ec.SECP256R1())
    called = _call(name)
    certificate = (
        _begin(key, called, called)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return _write(key, certificate)


def issue_certificate(authority: bytes, names: Sequence[str]) -> bytes:
    """Return a key and a certificate for a server, as PEM.

    Args:
        authority: what `make_authority` returned.
        names: under which the server is reached.

    """
    issuer = x509.load_pem_x509_certificate(authority)
    signs = serialization.load_pem_private_key(authority, None)
    assert isinstance(signs, ec.EllipticCurvePrivateKey)
    key = ec.generate_private_key(ec.SECP256R1())
    vouched = x509.AuthorityKeyIdentifier.from_issuer_public_key(signs.public_key())
    built = _describe_server(_begin(key, _call("overtable"), issuer.subject), names)
    return _write(key, built.add_extension(vouched, critical=False).sign(signs, hashes.SHA256()))


def _make(names: Sequence[str]) -> bytes:
    """Return a key and a certificate of it, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    called = _call("overtable")
    return _write(key, _describe_server(_begin(key, called, called), names).sign(key, hashes.SHA256()))


def _call(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _begin(key: ec.EllipticCurvePrivateKey, subject: x509.Name, issuer: x509.Name) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))  # a phone's clock may be behind
        .not_valid_after(now + LASTS)
    )


def _describe_server(builder: x509.CertificateBuilder, names: Sequence[str]) -> x509.CertificateBuilder:
    return (
        builder.add_extension(x509.SubjectAlternativeName([_name(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    )


def _write(key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ) + certificate.public_bytes(serialization.Encoding.PEM)


def _name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
