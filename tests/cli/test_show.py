"""`parity show`: the timeline as a person reads it, and every layer as data."""

from __future__ import annotations

import json

from parity_runs import RECORDINGS, parity


def test_the_timeline_shows_the_failing_command_with_code_and_output() -> None:
    run = parity("show", "acp-grok/turn-tools-no-terminal", "--recordings", RECORDINGS)
    assert run.code == 0
    assert "✗ command     ls /nonexistent-dir  exit 2" in run.out
    assert "ls: cannot access '/nonexistent-dir'" in run.out


def test_a_cell_may_be_named_by_its_directory() -> None:
    run = parity("show", RECORDINGS / "acp-cursor" / "web-search", "--recordings", RECORDINGS)
    assert "https://example.com/release-notes" in run.out


def test_each_layer_is_ndjson() -> None:
    for layer in ("rows", "events", "bridge", "provider", "wire"):
        run = parity("show", "acp-grok/turn-tools", "-l", layer, "--json", "--recordings", RECORDINGS)
        assert run.code == 0
        documents = [json.loads(line) for line in run.out.splitlines()]
        assert documents
        assert all(isinstance(document, dict) for document in documents)


def test_an_unknown_layer_is_a_mistake() -> None:
    run = parity("show", "acp-grok/turn-tools", "-l", "colours", "--recordings", RECORDINGS)
    assert run.code == 2
    assert "colours" in run.err
