"""What the comparisons share."""

import subprocess
from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.personality.comparison")


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and its self-signed certificate for localhost, in one file."""
    folder = tmp_path_factory.mktemp("tls")
    key, chain, both = folder / "key.pem", folder / "chain.pem", folder / "both.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    subprocess.run([*words, "-keyout", key, "-out", chain], check=True, capture_output=True)
    both.write_text(chain.read_text() + key.read_text())
    return both
