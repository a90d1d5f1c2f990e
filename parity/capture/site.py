"""A few fixed pages on loopback, for scenarios in which an agent fetches something from the web."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping


class Site:
    """Pages by path; `url` is known once it is started."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.url = ""
        self._pages = dict(pages)
        self._server: asyncio.Server | None = None

    async def start(self) -> str:
        """Serve the pages; the URL they are under. Nothing is served where there are none."""
        if self._pages:
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
            self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self.url

    async def stop(self) -> None:
        """Serve nothing more."""
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
            words = request.split(b" ", 2)
            path = words[1].decode("latin-1").split("?")[0] if len(words) > 1 else ""
            page = self._pages.get(path)
            status = "404 Not Found" if page is None else "200 OK"
            body = (page or "no such page\n").encode()
            head = (
                f"HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\n"
                f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
            )
            writer.write(head.encode() + (b"" if words[0] == b"HEAD" else body))
            await writer.drain()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            pass
        finally:
            writer.close()
