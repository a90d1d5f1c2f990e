from __future__ import annotations

import asyncio

from parity.capture.site import Site


async def _get(url: str, path: str) -> str:
    port = int(url.rsplit(":", 1)[1])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
    said = await reader.read()
    writer.close()
    return said.decode()


def test_a_site_serves_its_pages_and_says_where_there_is_none() -> None:
    async def run() -> tuple[str, str]:
        site = Site({"/a": "hello"})
        url = await site.start()
        try:
            return await _get(url, "/a?x=1"), await _get(url, "/b")
        finally:
            await site.stop()

    found, missing = asyncio.run(run())
    assert found.startswith("HTTP/1.1 200")
    assert found.endswith("hello")
    assert missing.startswith("HTTP/1.1 404")
