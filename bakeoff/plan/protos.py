"""From a gRPC call with JSON messages to one with bytes, by the file that declares the method."""

import base64
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from bakeoff.model.errors import BadFile, MissingPiece
from bakeoff.model.grpc import GrpcSection, check_streams, encoded

SOURCE = ".proto"
TIMEOUT_S = 30.0


def with_messages(grpc: GrpcSection, path: Path) -> GrpcSection:
    """`grpc` of the workload's file at `path`, with its messages encoded and its descriptors.

    Raises `BadFile`, and `MissingPiece` if no program that reads a .proto is installed.
    """
    if grpc.proto is None:
        return grpc
    file = path.parent / grpc.proto
    try:
        descriptors = _compiled(file) if file.suffix == SOURCE else file.read_bytes()
    except OSError as error:
        why = f"names {grpc.proto}, which can't be read: {error.strerror} ({file})"
        raise BadFile(path, "grpc.proto", why) from None
    except ValueError as error:
        raise BadFile(file, None, str(error)) from None
    try:
        check_streams(descriptors, grpc.method, grpc.responses)
    except ImportError:
        raise MissingPiece(_NEEDED) from None
    except ValueError as error:
        raise BadFile(path, "grpc.proto", str(error)) from None
    found = {"descriptors_base64": base64.b64encode(descriptors).decode()}
    sides: tuple[tuple[str, Literal["input", "output"]], ...]
    sides = (("message", "input"), ("response", "output"))
    for name, side in sides:
        value = getattr(grpc, name)
        if value is None:
            continue
        try:
            message = encoded(descriptors, grpc.method, side, value)
        except ValueError as error:
            raise BadFile(path, f"grpc.{name}", str(error)) from None
        found[f"{name}_base64"] = base64.b64encode(message).decode()
    return grpc.model_copy(update=found)


_NEEDED = "messages as JSON need grpcio-tools: pip install 'bakeoff[grpc]'; or give them in base64"


def _compiled(file: Path) -> bytes:
    """The set of descriptors of a .proto and all that it imports from beside it.

    Raises OSError, `MissingPiece`, and ValueError with protoc's message.
    """
    file.stat()
    with TemporaryDirectory() as place:
        made = Path(place, "set")
        options = (f"-I{file.parent}", "--include_imports", f"--descriptor_set_out={made}")
        ended = subprocess.run(
            [sys.executable, "-m", "grpc_tools.protoc", *options, str(file)],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        if "No module named" in ended.stderr:
            raise MissingPiece(_NEEDED)
        if ended.returncode:
            lines = ended.stderr.strip().splitlines()
            own = [line.rpartition(f"{file.name}:")[2] for line in lines if file.name in line]
            raise ValueError(f"line {own[-1].strip()}" if own else lines[-1])
        return made.read_bytes()
