"""The certificate of the webhook: made here, kept in a Secret, replaced in time, and never a reason to stop answering.

The API server believes a webhook only by the authority that its configuration names. So each pair comes with a new
authority that signs nothing else (its key is thrown away), and the configuration names the authorities of all pairs
that may still be in use: a replica that has not heard of the newest pair yet is believed too.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
from typing import TYPE_CHECKING, Any, NamedTuple

from railwise.model.errors import MissingExtraError

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

VALID = dt.timedelta(days=90)
EARLIER = dt.timedelta(minutes=5)
"""Certificates are valid from a little before now, for clocks that disagree."""

MARK = "-----BEGIN CERTIFICATE-----"


class Pair(NamedTuple):
    """A certificate with its key, and the authorities by which it and earlier ones are believed; all PEM."""

    authorities: str
    certificate: str
    key: str


def new_pair(name: str, now: dt.datetime, earlier: str = "", valid: dt.timedelta = VALID) -> Pair:
    """Return a new pair for a host name or address; ``earlier`` are authorities that are still needed.

    Raises:
        MissingExtraError: the package cryptography is not installed.
    """
    lib, curves = _packages()
    key, own = (curves.generate_private_key(curves.SECP256R1()) for _ in range(2))
    issuer = lib.Name([lib.NameAttribute(lib.NameOID.COMMON_NAME, f"railwise-gate-{lib.random_serial_number():x}")])
    root = _builder(issuer, issuer, key, now, valid)
    root = root.add_extension(lib.BasicConstraints(ca=True, path_length=0), critical=True)
    leaf = _builder(lib.Name([lib.NameAttribute(lib.NameOID.COMMON_NAME, name[:64])]), issuer, own, now, valid)
    leaf = leaf.add_extension(lib.SubjectAlternativeName([_alternative(name)]), critical=False)
    usage = lib.ExtendedKeyUsage([lib.oid.ExtendedKeyUsageOID.SERVER_AUTH])
    leaf = leaf.add_extension(usage, critical=False)
    authorities = [_pem(root, key), *still_valid(earlier, now)]
    return Pair("".join(authorities), _pem(leaf, key), _private(own))


def due(pair: Pair, name: str, now: dt.datetime) -> bool:
    """Return whether a pair is to be replaced: two thirds of its time are over, or it is not for that name."""
    lib, _ = _packages()
    try:
        found = lib.load_pem_x509_certificate(pair.certificate.encode())
        names = found.extensions.get_extension_for_class(lib.SubjectAlternativeName).value
    except (ValueError, lib.ExtensionNotFound):
        return True
    begin, end = found.not_valid_before_utc, found.not_valid_after_utc
    return _alternative(name) not in list(names) or now >= begin + (end - begin) * 2 / 3


def still_valid(authorities: str, now: dt.datetime) -> list[str]:
    """Return those of some authorities that have not ended; what cannot be read is none."""
    lib, _ = _packages()
    found = []
    for text in authorities.split(MARK)[1:]:
        pem = MARK + text
        try:
            one = lib.load_pem_x509_certificate(pem.encode())
        except ValueError:
            continue
        if one.not_valid_after_utc > now:
            found.append(pem)
    return found


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, now: dt.datetime, valid: dt.timedelta
) -> x509.CertificateBuilder:
    lib, _ = _packages()
    builder: x509.CertificateBuilder = lib.CertificateBuilder().subject_name(subject).issuer_name(issuer)
    builder = builder.public_key(key.public_key()).serial_number(lib.random_serial_number())
    return builder.not_valid_before(now - EARLIER).not_valid_after(now + valid)


def _alternative(name: str) -> x509.GeneralName:
    lib, _ = _packages()
    found: x509.GeneralName
    try:
        found = lib.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        found = lib.DNSName(name)
    return found


def _pem(builder: x509.CertificateBuilder, key: ec.EllipticCurvePrivateKey) -> str:
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415 -- see _packages

    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()


def _private(key: ec.EllipticCurvePrivateKey) -> str:
    from cryptography.hazmat.primitives import serialization as forms  # noqa: PLC0415 -- see _packages

    return key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption()).decode()


def _packages() -> tuple[Any, Any]:
    """Return the modules that make certificates: optional, since only who serves a webhook needs them."""
    try:
        from cryptography import x509  # noqa: PLC0415 -- see above
        from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 -- see above
    except ImportError:
        message = "a webhook needs a certificate, and that the extra: pip install 'railwise[cluster]'"
        raise MissingExtraError(message) from None
    return x509, ec
