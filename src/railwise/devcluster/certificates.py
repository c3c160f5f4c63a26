"""A certificate authority for one cluster on one machine: servers and clients that trust nobody else.

A control plane on loopback is still open to everybody who has an account on the machine, so etcd and the API server
ask for client certificates from the first moment on. Everything is made anew for each cluster and valid for a year.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from railwise.model.errors import MissingExtraError

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

VALID = dt.timedelta(days=365)
EARLIER = dt.timedelta(minutes=5)
"""Certificates are valid from a little before now, for clocks that disagree."""

SERVER_NAMES = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")
SERVER_ADDRESSES = ("127.0.0.1", "::1")


class KeyPair(NamedTuple):
    """A certificate and its key as PEM texts."""

    certificate: str
    key: str


class Authority:
    """Signs certificates; its own key is only in memory, so nobody can sign more once the cluster is up."""

    def __init__(self, name: str) -> None:
        """Make a new authority.

        Raises:
            MissingExtraError: the package cryptography is not installed.
        """
        try:
            from cryptography import x509  # noqa: PLC0415 -- optional: only who starts a control plane needs it
            from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 -- likewise
        except ImportError:
            message = "a control plane on this machine needs the extra: pip install 'railwise[cluster]'"
            raise MissingExtraError(message) from None
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        constraint = x509.BasicConstraints(ca=True, path_length=0)
        builder = self._builder(self._name, self._key.public_key()).add_extension(constraint, critical=True)
        self._certificate = self._signed(builder)

    def pem(self) -> str:
        """Return the authority's certificate."""
        return _pem(self._certificate)

    def issue(self, name: str, group: str = "", *, server: bool = False) -> KeyPair:
        """Return a certificate for a user of that name and group, or for a server on this machine."""
        from cryptography import x509  # noqa: PLC0415 -- see above
        from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 -- see above

        attributes = [x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]
        if group:
            attributes.insert(0, x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, group))
        key = ec.generate_private_key(ec.SECP256R1())
        builder = self._builder(x509.Name(attributes), key.public_key())
        usages = [x509.oid.ExtendedKeyUsageOID.CLIENT_AUTH] + [x509.oid.ExtendedKeyUsageOID.SERVER_AUTH] * server
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        if server:
            addresses = [x509.IPAddress(ipaddress.ip_address(one)) for one in SERVER_ADDRESSES]
            names = [x509.DNSName(one) for one in SERVER_NAMES]
            builder = builder.add_extension(x509.SubjectAlternativeName([*names, *addresses]), critical=False)
        return KeyPair(_pem(self._signed(builder)), private_pem(key))

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        from cryptography import x509  # noqa: PLC0415 -- see above

        now = dt.datetime.now(dt.UTC)
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(self._name).public_key(key)
        builder = builder.serial_number(x509.random_serial_number())
        return builder.not_valid_before(now - EARLIER).not_valid_after(now + VALID)

    def _signed(self, builder: x509.CertificateBuilder) -> x509.Certificate:
        from cryptography.hazmat.primitives import hashes  # noqa: PLC0415 -- see above

        return builder.sign(self._key, hashes.SHA256())


def _pem(certificate: x509.Certificate) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding  # noqa: PLC0415 -- see above

    return certificate.public_bytes(Encoding.PEM).decode()


def private_pem(key: ec.EllipticCurvePrivateKey) -> str:
    """Return a key as PEM."""
    from cryptography.hazmat.primitives import serialization as forms  # noqa: PLC0415 -- see above

    return key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption()).decode()


def signing_key() -> KeyPair:
    """Return a public and a private key, by which tokens of service accounts are signed."""
    from cryptography.hazmat.primitives import serialization as forms  # noqa: PLC0415 -- see above
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 -- see above

    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo)
    return KeyPair(public.decode(), private_pem(key))


def write_secret(path: Path, text: str) -> Path:
    """Write a file that only this user can read, and return its path."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(text)
    return path
