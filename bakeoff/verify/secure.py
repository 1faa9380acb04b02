"""TLS around a connection, and what a handshake came to."""

import socket
import ssl

from bakeoff.model.audit import TlsConduct
from bakeoff.model.protocol import ALPN, Protocol, Tls
from bakeoff.verify.exchange import NoAnswer, connect

SPEAKS_PLAIN = (
    "its port speaks plain HTTP; give its http:// URL, or --protocol h1 or h2c to a command"
)
_NO_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE")
"""What OpenSSL says of bytes that are no TLS record."""
_NO_ALPN = "NO_APPLICATION_PROTOCOL"


def context(tls: Tls, protocol: Protocol) -> ssl.SSLContext:
    """A client that believes whom `tls` says, and offers exactly one protocol by ALPN."""
    made = ssl.create_default_context(cadata=tls.ca_pem)
    if tls.insecure:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    made.set_alpn_protocols([ALPN[protocol]])
    return made


def secured(
    connection: socket.socket,
    tls: Tls,
    protocol: Protocol,
    *,
    client: ssl.SSLContext | None = None,
    session: ssl.SSLSession | None = None,
) -> ssl.SSLSocket:
    """The same connection behind a handshake. Raises `NoAnswer`, and closes it then.

    A `session` is resumed by the `client` that it was made with.
    """
    client = client or context(tls, protocol)
    try:
        wrapped = client.wrap_socket(connection, server_hostname=tls.server_name, session=session)
    except OSError as error:
        connection.close()
        raise NoAnswer(_fault(error, protocol)) from None
    agreed, asked = wrapped.selected_alpn_protocol(), ALPN[protocol]
    # To a server that knows no ALPN, HTTP/1.1 is what TLS carries.
    if agreed != asked and not (agreed is None and protocol == "h1-tls"):
        wrapped.close()
        raise NoAnswer(_disagreed(protocol, agreed or "none"))
    return wrapped


def speaks_tls(address: str, timeout_s: float = 1.0) -> bool:
    """Whether a TLS handshake with `host:port`, a numeric address, succeeds."""
    client = ssl.create_default_context()
    client.check_hostname = False
    client.verify_mode = ssl.CERT_NONE
    try:
        with connect(address, timeout_s) as connection, client.wrap_socket(connection):
            return True
    except OSError:
        return False


def handshake(connection: ssl.SSLSocket) -> TlsConduct:
    """What its handshake came to; it `resumes` an earlier one, or not."""
    cipher = connection.cipher()
    return TlsConduct(
        version=(connection.version() or "").removeprefix("TLSv"),
        cipher=cipher[0] if cipher else "",
        alpn=connection.selected_alpn_protocol(),
        key=_key(connection.getpeercert(binary_form=True)),
        resumes=bool(connection.session_reused),
    )


def _disagreed(protocol: Protocol, agreed: str) -> str:
    return f"asked for {ALPN[protocol]} by ALPN, it agreed on {agreed}: does it speak {protocol}?"


def _fault(error: OSError, protocol: Protocol) -> str:
    """Why a handshake failed, in plain words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not believed: {error.verify_message.rstrip('.')}"
    reason = getattr(error, "reason", None) or ""
    if any(each in reason for each in _NO_TLS):
        return SPEAKS_PLAIN
    if _NO_ALPN in reason:
        return _disagreed(protocol, "none, and refused the handshake")
    if isinstance(error, TimeoutError):
        return "it took the TLS handshake in silence: does its port speak TLS?"
    if isinstance(error, ssl.SSLEOFError | ConnectionError):
        return "it closed the connection in the TLS handshake: does its port speak TLS?"
    return f"the TLS handshake failed: {reason.lower().replace('_', ' ') or error}"


def _key(certificate: bytes | None) -> str:
    # Here, not above: a race in cleartext needs none of it.
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec, rsa

    if not certificate:
        return ""
    key = x509.load_der_x509_certificate(certificate).public_key()
    if isinstance(key, ec.EllipticCurvePublicKey):
        return f"EC {key.curve.name}"
    if isinstance(key, rsa.RSAPublicKey):
        return f"RSA {key.key_size}"
    return type(key).__name__.removesuffix("PublicKey").lstrip("_")
