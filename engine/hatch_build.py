"""What hatchling can't do by itself: compile the engine, and name the platform that it runs on.

With `ziglang` and `cargo-zigbuild` in the building environment, as `make dist` has them, the engine
needs glibc 2.17 and nothing newer, so the wheel is a manylinux one; with BAKEOFF_WHEEL_FOR=aarch64
it is for such machines, wherever it is built. Without them it is for machines like this one.

The metadata has the addresses of the repository that `bakeoff/__init__.py` names, and a README
whose links lead to it: they are relative to a clone.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

GLIBC = "2.17"
FOR = "BAKEOFF_WHEEL_FOR"
MANUAL = "docs/bakeoff.1"


class CustomBuildHook(BuildHookInterface):
    """Puts the engine into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the engine, unless the installation is editable: then make has compiled it."""
        if sys.platform != "linux":
            raise SystemExit(f"bakeoff runs on Linux only, not on {sys.platform}")
        if version == "editable":
            build_data["shared_scripts"]["engine/target/quick/volley"] = "volley"
            return
        machine = os.environ.get(FOR, platform.machine())
        old_glibc = find_spec("ziglang") is not None and shutil.which("cargo-zigbuild") is not None
        if machine != platform.machine() and not old_glibc:
            raise SystemExit(f"{FOR}={machine} needs ziglang and cargo-zigbuild")
        engine = self._compile(f"{machine}-unknown-linux-gnu" if old_glibc else None)
        build_data["force_include"][str(engine)] = "bakeoff/data/volley"
        build_data["pure_python"] = False
        floor = f"manylinux_{GLIBC.replace('.', '_')}" if old_glibc else "linux"
        build_data["tag"] = f"py3-none-{floor}_{machine}"
        if Path(self.root, MANUAL).exists():
            build_data["shared_data"][MANUAL] = "share/man/man1/bakeoff.1"

    def _compile(self, zig_target: str | None) -> Path:
        """The engine: for `zig_target` and an old glibc, or by the machine's own linker."""
        if shutil.which("cargo") is None:
            raise SystemExit("the engine needs Rust: install rustup, then its stable toolchain")
        target_folder = Path(os.environ.get("CARGO_TARGET_DIR", Path(self.root, "engine/target")))
        words = ["zigbuild", "--target", f"{zig_target}.{GLIBC}"] if zig_target else ["build"]
        cargo_home = os.environ.get("CARGO_HOME", Path("~/.cargo").expanduser())
        renamed = {str(self.root): "bakeoff", str(cargo_home): "cargo"}
        env = {
            "CARGO_TARGET_DIR": str(target_folder),
            "CARGO_PROFILE_RELEASE_STRIP": "symbols",
            # No path of the building machine is in the engine, so it is the same from any folder.
            "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(
                f"--remap-path-prefix={path}={name}" for path, name in renamed.items()
            ),
        }
        if zig_target:
            # Zig links LuaJIT's own program, which unwinds, without the library that does it; and
            # the strip of one machine doesn't know the programs of another. Nobody needs this one.
            env |= {"TARGET_LDFLAGS": "-lunwind", "TARGET_STRIP": "true"}
        self.app.display_info("compiling the load engine: two to four minutes on two cores")
        subprocess.run(
            ["cargo", *words, "--locked", "--release", "--package", "volley"],
            cwd=Path(self.root, "engine"),
            env={**os.environ, **env},
            check=True,
        )
        return target_folder / (zig_target or "") / "release/volley"


class CustomMetadataHook(MetadataHookInterface):
    """Addresses, and the README as it is read outside of the repository."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add `urls` and `readme`."""
        package = Path(self.root, "bakeoff/__init__.py").read_text(encoding="utf-8")
        about = dict(re.findall(r'^__(\w+)__ = "(.*)"$', package, re.M))
        home = f"https://github.com/{about['repository']}"
        files, at = "https://raw.githubusercontent.com", f"v{about['version']}"
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        # A picture is shown from its file; a page is shown by the repository.
        for before, where in (
            (r"(!\[[^]]*\]\(|src(?:set)?=\")", f"{files}/{about['repository']}/{at}/"),
            (r"((?<!!)\[[^]]*\]\(|href=\")", f"{home}/blob/{at}/"),
        ):
            readme = re.sub(rf"{before}(?!https://|#)", rf"\1{where}", readme)
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}
        metadata["urls"] = {
            "Homepage": home,
            "Documentation": f"{home}/tree/{at}/docs",
            "Changelog": f"{home}/blob/{at}/CHANGELOG.md",
            "Source": home,
            "Issues": f"{home}/issues",
            "Security": f"{home}/blob/{at}/SECURITY.md",
        }
