"""The certificate of a run, which all servers that it starts show to clients over TLS."""

import ipaddress
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from bakeoff.model.errors import MissingPiece
from bakeoff.model.protocol import SERVER_NAME, Certificate

_ROOT = "bakeoff's root"
_ADDRESSES = ("127.0.0.1", "::1")
_VALID = timedelta(days=30)
"""No race is longer, and the clock of a virtual machine may jump."""


def make_certificate(folder: Path) -> Certificate:
    """A root, and a P-256 certificate of localhost and its addresses that it signed, in `folder`.

    The root's key is not kept. Raises `MissingPiece` where the folder can't be written to.
    """
    root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root = _certificate(root_key, root_key, _ROOT, is_root=True)
    leaf = _certificate(key, root_key, SERVER_NAME, is_root=False)
    cert, key_file = folder / "cert.pem", folder / "key.pem"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        cert.write_bytes(leaf.public_bytes(Encoding.PEM))
        descriptor = os.open(key_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    except OSError as error:
        raise MissingPiece(
            f"no certificate for TLS can be kept in {folder}: {error.strerror}; "
            "let --out name a folder that can be written to"
        ) from None
    return Certificate(
        cert=str(cert.resolve()),
        key=str(key_file.resolve()),
        ca_pem=root.public_bytes(Encoding.PEM).decode(),
    )


def _certificate(
    key: ec.EllipticCurvePrivateKey, by: ec.EllipticCurvePrivateKey, name: str, *, is_root: bool
) -> x509.Certificate:
    """The certificate of `key`, signed by the key of the root."""
    now = datetime.now(UTC)
    own, issuer = x509.SubjectKeyIdentifier, x509.AuthorityKeyIdentifier
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _ROOT)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + _VALID)
        .add_extension(x509.BasicConstraints(ca=is_root, path_length=None), critical=True)
        .add_extension(_usage(is_root=is_root), critical=True)
        .add_extension(own.from_public_key(key.public_key()), critical=False)
        .add_extension(issuer.from_issuer_public_key(by.public_key()), critical=False)
    )
    if not is_root:
        addresses = (x509.IPAddress(ipaddress.ip_address(address)) for address in _ADDRESSES)
        names = x509.SubjectAlternativeName([x509.DNSName(name), *addresses])
        serves = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        builder = builder.add_extension(names, critical=False)
        builder = builder.add_extension(serves, critical=False)
    return builder.sign(by, hashes.SHA256())


def _usage(*, is_root: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not is_root,
        key_cert_sign=is_root,
        crl_sign=is_root,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
