"""Runs `openenv validate` at its runtime level without a container engine, and prints the report as JSON.

Usage: runtime_level.py FOLDER

The grader code is that of the package; only building and starting are replaced: the folder's bundled server runs on a
loopback port, in a copy, with Node from the path.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from openenv.validation import Level, run_validation
from openenv.validation.types import ProviderCapability


class LoopbackSubject:
    """A running bundled server."""

    def __init__(self, root: Path, timeout_s: float) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.base_url = f"http://127.0.0.1:{port}"
        bundle = root / "server" / "server.mjs"
        self._process = subprocess.Popen(
            [shutil.which("node") or "node", str(bundle), "--host", "127.0.0.1", "--port", str(port), "--exit-with-stdin"],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"]},
        )
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                with urllib.request.urlopen(f"{self.base_url}/health", timeout=1) as reply:
                    if reply.status == 200:
                        return
            except OSError:
                if time.monotonic() > deadline:
                    self.stop()
                    raise
                time.sleep(0.05)

    def inspect(self) -> dict:
        return {"kind": "loopback"}

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(10)


class LoopbackProvider:
    """Copies the folder and serves the copy, as an image would."""

    name = "loopback"
    capabilities = frozenset({ProviderCapability.IMAGE_BUILD})
    supported_network_modes = frozenset({"public"})

    def __init__(self, workspace: Path) -> None:
        self._copy = workspace / "subject"

    def build(self, root: Path, execution) -> str:
        shutil.copytree(root, self._copy)
        return "sha256:" + hashlib.sha256((self._copy / "server" / "server.mjs").read_bytes()).hexdigest()

    def start(self, spec) -> LoopbackSubject:
        return LoopbackSubject(self._copy, spec.startup_timeout_s)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as workspace:
        report = run_validation(
            Path(sys.argv[1]), max_level=Level.SEMANTIC, provider=LoopbackProvider(Path(workspace))
        )
    print(report.model_dump_json())
