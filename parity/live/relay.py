"""The replay agent's hands: the process a bridge starts as its agent, moved by the driver over a socket.

Run as a script, `relay.py SOCKET`; it needs nothing but the standard library, so it starts fast and wherever
the bridge starts it. Each line the bridge writes to it is told to the driver; each line the driver sends is
written to the bridge. It knows no lane and no protocol: which line comes when is the driver's business.

Frames on the socket: one byte of kind, four bytes of length (big endian), the payload. From the driver
`W` (write this line) and `F` (say what is there); to the driver `L` (a line came), `D` (all that was written
is read), `F` (all that was there is said), `E` (the bridge closed our standard input: the relay ends).
"""

from __future__ import annotations

import fcntl
import os
import select
import socket
import stat
import struct
import sys
import termios
from collections.abc import Iterator

HEAD = struct.Struct(">cI")
_CHUNK = 64 * 1024
_SOON = 0.0005
"""Seconds between two looks at what the bridge has not read yet; the system tells no other way."""


class Frames:
    """Cuts the socket's bytes into frames."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, chunk: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The (kind, payload) of each frame that is now whole."""
        self._bytes += chunk
        while len(self._bytes) >= HEAD.size:
            kind, length = HEAD.unpack_from(self._bytes)
            end = HEAD.size + length
            if len(self._bytes) < end:
                return
            payload = bytes(self._bytes[HEAD.size : end])
            del self._bytes[:end]
            yield kind, payload


def frame(kind: bytes, payload: bytes = b"") -> bytes:
    """A frame's bytes."""
    return HEAD.pack(kind, len(payload)) + payload


def _unread(fd: int) -> int:
    """Bytes written to a pipe or socket that its reader has not read yet; 0 where the system does not say."""
    ask = termios.TIOCOUTQ if stat.S_ISSOCK(os.fstat(fd).st_mode) else termios.FIONREAD
    try:
        return int(struct.unpack("i", fcntl.ioctl(fd, ask, b"\0\0\0\0"))[0])
    except OSError:
        return 0


class Relay:
    """The relay's state: lines on the way to the bridge, a line on the way from it."""

    def __init__(self, driver: socket.socket) -> None:
        self._driver = driver
        self._frames = Frames()
        self._out = bytearray()
        self._owed = False
        self._line = bytearray()

    def run(self) -> None:
        """Until the driver is gone or the bridge closes our standard input."""
        os.set_blocking(1, False)
        while True:
            waits = _SOON if self._owed and not self._out else None
            driver = self._driver.fileno()
            ready, writable, _ = select.select([0, driver], [1] if self._out else [], [], waits)
            if 0 in ready and not self._read():
                return
            if driver in ready and not self._obey():
                return
            if writable:
                del self._out[: os.write(1, self._out[:_CHUNK])]
            if self._owed and not self._out and not _unread(1):
                self._owed = False
                self._driver.sendall(frame(b"D"))

    def _obey(self) -> bool:
        chunk = self._driver.recv(_CHUNK)
        for kind, payload in self._frames.feed(chunk):
            if kind == b"W":
                self._out += payload + b"\n"
                self._owed = True
            elif kind == b"F":
                while select.select([0], [], [], 0)[0]:
                    if not self._read():
                        return False
                self._driver.sendall(frame(b"F"))
        return bool(chunk)

    def _read(self) -> bool:
        chunk = os.read(0, _CHUNK)
        if not chunk:
            if self._line:
                self._driver.sendall(frame(b"L", bytes(self._line)))
            self._driver.sendall(frame(b"E"))
            return False
        *lines, rest = chunk.split(b"\n")
        if lines:
            lines[0] = bytes(self._line) + lines[0]
            self._line.clear()
            self._driver.sendall(b"".join(frame(b"L", line.removesuffix(b"\r")) for line in lines))
        self._line += rest
        return True


def main() -> None:
    """Connect to the driver and relay."""
    driver = socket.socket(socket.AF_UNIX)
    try:
        driver.connect(sys.argv[1])
        Relay(driver).run()
    except OSError:
        pass  # the driver or the bridge is gone: so are we


if __name__ == "__main__":
    main()
