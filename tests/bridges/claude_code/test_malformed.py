"""A runtime message that is no request of the protocol is refused, never a crash."""

from __future__ import annotations

from typing import Any

import pytest

from parity.bridges import ToRuntime
from parity.bridges.base import METHOD_NOT_FOUND
from parity.bridges.claude_code.bridge import ClaudeCodeBridge


@pytest.mark.parametrize("method", [7, ["turn/start"], {"a": 1}, True])
def test_a_method_that_is_no_text_is_refused(method: Any) -> None:
    (said,) = ClaudeCodeBridge().runtime({"jsonrpc": "2.0", "id": 1, "method": method})
    assert isinstance(said, ToRuntime)
    assert said.message["error"]["code"] == METHOD_NOT_FOUND
