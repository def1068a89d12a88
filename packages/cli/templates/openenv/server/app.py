"""Starts the environment's Node server. Nothing of OpenEnv is imported here.

``main()`` serves the commands ``server``, ``uv run server`` and ``python -m server.app``. ``app`` serves ASGI servers: under
a plain ``uvicorn server.app:app`` this process becomes the Node server; elsewhere ``app`` is a reverse proxy to a Node child.
"""

from __future__ import annotations

import asyncio
import atexit
import http.client
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Awaitable, Callable

BUNDLE = Path(__file__).resolve().with_name("server.mjs")
START_TIMEOUT_S = 30.0
REQUEST_TIMEOUT_S = 600.0
HOP_BY_HOP = {b"connection", b"keep-alive", b"transfer-encoding", b"te", b"trailer", b"upgrade", b"proxy-connection"}
# Options of uvicorn that need uvicorn itself: its reloader, its sockets, its TLS.
UVICORN_ONLY = ("--reload", "--fd", "--uds", "--ssl", "--root-path")

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


def node_binary() -> str:
    """Path of Node: the variable NODE_BINARY, else ``node`` on the path."""
    node = os.environ.get("NODE_BINARY") or shutil.which("node")
    if node is None:
        raise SystemExit("Node 20 or newer is needed to serve this environment. Install it or set NODE_BINARY.")
    return node


def become_node(*args: str) -> None:
    """Replaces this process by the Node server, so that pid and signals stay and no Python is left in the path."""
    node = node_binary()
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(node, [node, str(BUNDLE), *args])


def main() -> None:
    """Entry point of the ``server`` script; takes the options of the Node server."""
    become_node(*sys.argv[1:])


def uvicorn_option(argv: list[str], name: str) -> str | None:
    """Value of a uvicorn option from its command line, else from its environment variable."""
    for index, arg in enumerate(argv):
        if arg == f"--{name}" and index + 1 < len(argv):
            return argv[index + 1]
        if arg.startswith(f"--{name}="):
            return arg.partition("=")[2]
    return os.environ.get(f"UVICORN_{name.upper().replace('-', '_')}")


def is_plain_uvicorn(argv: list[str]) -> bool:
    """True when this import comes from uvicorn's command line with one worker and nothing that needs uvicorn itself."""
    program = Path(argv[0]) if argv else Path()
    named = program.stem == "uvicorn" or (program.name == "__main__.py" and program.parent.name == "uvicorn")
    workers = uvicorn_option(argv, "workers") or os.environ.get("WEB_CONCURRENCY") or "1"
    return named and workers == "1" and not any(arg.startswith(UVICORN_ONLY) for arg in argv[1:])


class NodeChild:
    """A Node server on a free loopback port, started at first use and again if it has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0
        self._lock = asyncio.Lock()

    async def port(self) -> int:
        async with self._lock:
            if self._process is None or self._process.poll() is not None:
                await asyncio.to_thread(self._start)
            return self._port

    def _start(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        # The child ends when its standard input does, so it never outlives this process, however that ends.
        self._process = subprocess.Popen(
            [node_binary(), str(BUNDLE), "--host", "127.0.0.1", "--port", str(self._port), "--exit-with-stdin"],
            stdin=subprocess.PIPE,
        )
        atexit.register(self.stop)
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError(f"The Node server ended with {self._process.returncode} while starting.")
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=1)
            try:
                connection.request("GET", "/health")
                if connection.getresponse().status == 200:
                    return
            except OSError:
                pass  # Not listening yet.
            finally:
                connection.close()
            time.sleep(0.05)
        self.stop()
        raise RuntimeError(f"The Node server did not answer /health within {START_TIMEOUT_S:.0f} s.")

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class ReverseProxy:
    """ASGI application that hands HTTP requests and WebSockets to the Node child."""

    def __init__(self) -> None:
        self._child = NodeChild()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            event = (await receive())["type"]
            if event == "lifespan.startup":
                try:
                    await self._child.port()
                except (RuntimeError, SystemExit) as error:
                    await send({"type": "lifespan.startup.failed", "message": str(error)})
                    return
                await send({"type": "lifespan.startup.complete"})
            elif event == "lifespan.shutdown":
                await asyncio.to_thread(self._child.stop)
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = bytearray()
        while True:
            event = await receive()
            if event["type"] == "http.disconnect":
                return
            body += event.get("body", b"")
            if not event.get("more_body", False):
                break
        connection = http.client.HTTPConnection("127.0.0.1", await self._child.port(), timeout=REQUEST_TIMEOUT_S)
        try:
            response = await asyncio.to_thread(self._request, connection, scope, bytes(body))
            headers = [(key.lower().encode("latin-1"), value.encode("latin-1")) for key, value in response.getheaders()]
            headers = [(key, value) for key, value in headers if key not in HOP_BY_HOP]
            await send({"type": "http.response.start", "status": response.status, "headers": headers})
            while chunk := await asyncio.to_thread(response.read1, 65536):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            connection.close()

    @staticmethod
    def _request(connection: http.client.HTTPConnection, scope: Scope, body: bytes) -> http.client.HTTPResponse:
        connection.putrequest(scope["method"], target_of(scope), skip_host=True, skip_accept_encoding=True)
        for key, value in scope["headers"]:
            if key not in HOP_BY_HOP and key != b"content-length":
                connection.putheader(key.decode("latin-1"), value.decode("latin-1"))
        if body or scope["method"] in ("POST", "PUT", "PATCH"):
            connection.putheader("content-length", str(len(body)))
        connection.endheaders(body or None)
        return connection.getresponse()

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        from websockets.asyncio.client import connect
        from websockets.exceptions import ConnectionClosed, InvalidHandshake

        await receive()  # websocket.connect
        port = await self._child.port()
        # A ready socket keeps proxy settings of the environment out of a loopback connection.
        plain = socket.create_connection(("127.0.0.1", port))
        kept = {b"authorization", b"origin", b"cookie"}
        headers = [(k.decode("latin-1"), v.decode("latin-1")) for k, v in scope["headers"] if k in kept]
        try:
            upstream = await connect(
                f"ws://127.0.0.1:{port}{target_of(scope)}",
                sock=plain,
                subprotocols=scope.get("subprotocols") or None,
                additional_headers=headers,
                compression=None,
                max_size=None,
                ping_interval=None,
            )
        except (InvalidHandshake, OSError):
            plain.close()
            await send({"type": "websocket.close", "code": 1008})
            return
        await send({"type": "websocket.accept", "subprotocol": upstream.subprotocol})

        async def to_node() -> None:
            while True:
                event = await receive()
                if event["type"] == "websocket.disconnect":
                    return
                text = event.get("text")
                await upstream.send(event["bytes"] if text is None else text)

        async def to_client() -> None:
            async for message in upstream:
                kind = "text" if isinstance(message, str) else "bytes"
                await send({"type": "websocket.send", kind: message})

        tasks = [asyncio.ensure_future(to_node()), asyncio.ensure_future(to_client())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if not tasks[0].done():
                # Codes that stand for "no close frame" may not be sent.
                code = upstream.close_code if upstream.close_code not in (None, 1005, 1006) else 1011
                await send({"type": "websocket.close", "code": code, "reason": upstream.close_reason or ""})
        finally:
            for task in tasks:
                task.cancel()
            for result in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(result, Exception) and not isinstance(result, (ConnectionClosed, OSError)):
                    raise result
            await upstream.close()


def target_of(scope: Scope) -> str:
    """Path and query as they came."""
    path = scope.get("raw_path") or scope["path"].encode()
    query = scope.get("query_string", b"")
    return (path + (b"?" + query if query else b"")).decode("latin-1")


if is_plain_uvicorn(sys.argv):
    # uvicorn imports the application before it binds its port, so the port is still free.
    become_node(
        "--host", uvicorn_option(sys.argv, "host") or "127.0.0.1", "--port", uvicorn_option(sys.argv, "port") or "8000"
    )

app = ReverseProxy()

if __name__ == "__main__":
    main()
