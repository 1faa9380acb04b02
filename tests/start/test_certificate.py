"""The certificate of a run: believed by its root alone, of this machine's names, and soon gone."""

import ssl
import stat
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from bakeoff.model.errors import MissingPiece
from bakeoff.model.protocol import OVER_TLS, PROTOCOLS, Protocol
from bakeoff.start import Keeper
from bakeoff.start.certificate import make_certificate

from .conftest import Start, command, entry


def test_it_is_p_256_of_this_machines_names_and_signed_by_its_root(tmp_path: Path) -> None:
    made = make_certificate(tmp_path / "tls")
    leaf = x509.load_pem_x509_certificate(Path(made.cert).read_bytes())
    root = x509.load_pem_x509_certificate(made.ca_pem.encode())
    leaf.verify_directly_issued_by(root)
    names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost"]
    assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "::1"]
    key = load_pem_private_key(Path(made.key).read_bytes(), password=None)
    assert isinstance(key, ec.EllipticCurvePrivateKey) and key.curve.name == "secp256r1"
    assert key.public_key() == leaf.public_key() != root.public_key()


def test_nobody_else_reads_its_key_and_the_roots_is_kept_nowhere(tmp_path: Path) -> None:
    made = make_certificate(tmp_path)
    assert stat.S_IMODE(Path(made.key).stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cert.pem", "key.pem"]
    ssl.create_default_context(cadata=made.ca_pem)


def test_two_have_nothing_in_common(tmp_path: Path) -> None:
    first, second = (make_certificate(tmp_path / name) for name in ("a", "b"))
    assert first.ca_pem != second.ca_pem
    assert Path(first.key).read_bytes() != Path(second.key).read_bytes()


def test_where_it_cannot_be_kept_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(MissingPiece, match=r"no certificate for TLS can be kept in .*file") as told:
        make_certificate(tmp_path / "file")
    assert "--out" in str(told.value)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_server_is_told_what_to_speak_and_with_what(
    protocol: Protocol, keeper: Keeper, start: Start
) -> None:
    words = '"{protocol}|{cert}|{key}"'
    made = make_certificate(keeper.tls_folder)
    one = entry(f"{command('good')} {words}")
    handle = start(one, protocol=protocol, certificate=made)
    environ = Path(f"/proc/{handle.pid}/environ").read_bytes().decode().split("\0")
    found = dict(each.partition("=")[::2] for each in environ)
    over_tls = protocol in OVER_TLS
    assert found["PROTOCOL"] == protocol == handle.protocol
    cert, key = (made.cert, made.key) if over_tls else ("", "")
    assert (found.get("TLS_CERT", ""), found.get("TLS_KEY", "")) == (cert, key)
    assert handle.command[-1] == f"{protocol}|{cert}|{key}"
    assert handle.tls == (made.client if over_tls else None)


def test_it_goes_with_the_keeper(tmp_path: Path) -> None:
    with Keeper(tmp_path / "scratch") as keeper:
        made = make_certificate(keeper.tls_folder)
        assert Path(made.key).exists()
    assert not (tmp_path / "scratch").exists()
