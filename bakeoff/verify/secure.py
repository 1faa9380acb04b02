"""TLS around a connection, and the result of its handshake."""

import socket
import ssl
from typing import TYPE_CHECKING

from bakeoff.model.audit import TlsConduct
from bakeoff.model.protocol import ALPN, Protocol, Tls
from bakeoff.verify.exchange import NoAnswer, connect

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

SPEAKS_PLAIN = (
    "its port speaks plain HTTP; give its http:// URL, or --protocol h1 or h2c to a command"
)
Session = tuple[ssl.SSLContext, ssl.SSLSession | None]
"""What resumes a connection's session, and the client with which it was made."""
_NO_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE")
"""OpenSSL's errors for bytes that are not a TLS record."""
_NO_ALPN = "NO_APPLICATION_PROTOCOL"
_OVER_TCP: tuple[Protocol, ...] = ("h2", "h1-tls")


def context(tls: Tls, protocol: Protocol) -> ssl.SSLContext:
    """A client that trusts what `tls` names, and offers exactly one protocol by ALPN."""
    made = ssl.create_default_context(cadata=tls.ca_pem)
    if tls.insecure:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    made.set_alpn_protocols([ALPN[protocol]])
    return made


def secured(
    connection: socket.socket, tls: Tls, protocol: Protocol, former: Session | None = None
) -> ssl.SSLSocket:
    """The same connection after a handshake. Raises `NoAnswer`, and then closes it.

    The session of a `former` one is resumed.
    """
    client, session = former or (context(tls, protocol), None)
    try:
        wrapped = client.wrap_socket(connection, server_hostname=tls.server_name, session=session)
    except OSError as error:
        connection.close()
        raise NoAnswer(_fault(error, protocol)) from None
    agreed, asked = wrapped.selected_alpn_protocol(), ALPN[protocol]
    # For a server without ALPN, TLS carries HTTP/1.1.
    if agreed != asked and not (agreed is None and protocol == "h1-tls"):
        wrapped.close()
        raise NoAnswer(disagreed(protocol, agreed or "none"))
    return wrapped


def speaks_tls(address: str, protocol: Protocol | None = None) -> bool:
    """Whether a TLS handshake with `host:port`, a numeric address, succeeds; with a `protocol`,
    whether both agree on it."""
    client = ssl.create_default_context()
    client.check_hostname = False
    client.verify_mode = ssl.CERT_NONE
    if protocol:
        client.set_alpn_protocols([ALPN[protocol]])
    try:
        with connect(address, 1.0) as connection, client.wrap_socket(connection) as wrapped:
            return protocol is None or wrapped.selected_alpn_protocol() == ALPN[protocol]
    except OSError:
        return False


def offered_over_tcp(address: str) -> str:
    """What a server that does not speak HTTP/3 at `host:port` offers there instead."""
    spoken = [each for each in _OVER_TCP if speaks_tls(address, protocol=each)]
    if spoken:
        return f"over TCP it offers {' and '.join(spoken)}"
    try:
        connect(address, 1.0).close()
    except OSError:
        return "nothing listens at its TCP port either"
    return "its TCP port takes connections, without TLS and ALPN"


def handshake(connection: ssl.SSLSocket) -> TlsConduct:
    """The result of its handshake; whether it `resumes` an earlier one."""
    cipher = connection.cipher()
    return TlsConduct(
        version=(connection.version() or "").removeprefix("TLSv"),
        cipher=cipher[0] if cipher else "",
        alpn=connection.selected_alpn_protocol(),
        key=_key(connection.getpeercert(binary_form=True)),
        resumes=bool(connection.session_reused),
    )


def disagreed(protocol: Protocol, agreed: str) -> str:
    return f"offered {ALPN[protocol]} by ALPN, it selected {agreed}: does it speak {protocol}?"


def _fault(error: OSError, protocol: Protocol) -> str:
    """Why a handshake failed, in plain words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message.rstrip('.')}"
    reason = getattr(error, "reason", None) or ""
    if any(each in reason for each in _NO_TLS):
        return SPEAKS_PLAIN
    if _NO_ALPN in reason:
        return disagreed(protocol, "none, and refused the handshake")
    if isinstance(error, TimeoutError):
        return "it sent nothing in the TLS handshake: does its port speak TLS?"
    if isinstance(error, ssl.SSLEOFError | ConnectionError):
        return "it closed the connection in the TLS handshake: does its port speak TLS?"
    return f"the TLS handshake failed: {reason.lower().replace('_', ' ') or error}"


def _key(certificate: bytes | None) -> str:
    # Imported here, not above: a race in cleartext needs none of it.
    from cryptography import x509

    return key_of(x509.load_der_x509_certificate(certificate)) if certificate else ""


def key_of(certificate: "Certificate | None") -> str:
    """The kind of a certificate's key, as EC secp256r1; empty without a certificate."""
    from cryptography.hazmat.primitives.asymmetric import ec, rsa

    if not certificate:
        return ""
    key = certificate.public_key()
    if isinstance(key, ec.EllipticCurvePublicKey):
        return f"EC {key.curve.name}"
    if isinstance(key, rsa.RSAPublicKey):
        return f"RSA {key.key_size}"
    return type(key).__name__.removesuffix("PublicKey").lstrip("_")
