"""Reading and writing `allowlist.yaml`; comments and order survive.

Knows YAML and the sections of the file. Must not know how allowances are used, nor what makes an entry valid
(see `allowlist_entry`). Every mistake is an InputError with file and line.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from msgspec import UNSET
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.representer import RoundTripRepresenter
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from parity.compare import same
from parity.compare.documents import canonical
from parity.gates.allowance import SECTIONS, Allowance
from parity.gates.allowlist_entry import EntryReader, plain
from parity.gates.allowlist_text import NotUnderstood, edited
from parity.wire import InputError, write_atomic_bytes
from parity.wire.yaml import round_trip


class AllowlistFile:
    """The document of one file and its allowances, `sections[name]`, in order; `save` writes the changes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._bytes = _read(path)
        self._yaml = _yaml_like(self._bytes or b"")
        self._added: list[tuple[Allowance, CommentedMap]] = []
        self._root = self._parsed()
        self.sections: dict[str, list[Allowance]] = {
            section: self._section(section, self._root) for section in SECTIONS
        }
        self._loaded = {section: list(allowances) for section, allowances in self.sections.items()}

    def add(self, section: str, entry: Mapping[str, Any]) -> Allowance:
        """Append an entry; raises InputError, and changes nothing, where it is not valid."""
        if section not in SECTIONS:
            raise KeyError(section)
        node = CommentedMap(entry)
        allowance = EntryReader(self.path, None, section, node).allowance()
        self._added.append((allowance, node))
        self.sections[section].append(allowance)
        return allowance

    def remove(self, allowance: Allowance) -> None:
        """Take an entry out, with its comment. Raises ValueError where it is none of this file's."""
        self.sections[allowance.section].remove(allowance)
        self._added = [(one, node) for one, node in self._added if one is not allowance]

    def save(self) -> None:
        """Write the file atomically; where nothing was added or removed, nothing is written.

        Lines of other entries stay byte for byte. Raises InputError where the file changed meanwhile, or
        its layout cannot be edited.
        """
        added = self._additions()
        removed = self._removals()
        if not added and not removed:
            return
        if _read(self.path) != self._bytes:
            raise InputError(self.path, None, "changed meanwhile", "run the command again")
        data = self._edited(removed, added)
        write_atomic_bytes(self.path, data)
        self._bytes = data
        self._root = self._parsed()
        self._added = []
        self._loaded = {section: list(self.sections[section]) for section in SECTIONS}

    def _additions(self) -> dict[str, list[CommentedMap]]:
        found: dict[str, list[CommentedMap]] = {}
        for allowance, node in self._added:
            found.setdefault(allowance.section, []).append(node)
        return found

    def _removals(self) -> dict[str, list[int]]:
        kept = {id(allowance) for allowances in self.sections.values() for allowance in allowances}
        found = {
            section: [index for index, one in enumerate(loaded) if id(one) not in kept]
            for section, loaded in self._loaded.items()
        }
        return {section: indices for section, indices in found.items() if indices}

    def _edited(self, removed: dict[str, list[int]], added: dict[str, list[CommentedMap]]) -> bytes:
        """The file's new bytes: as a text edit, else through ruamel; either way it must read back."""
        for edit in (self._edited_text, self._edited_root):
            with suppress(NotUnderstood, InputError):
                data = edit(removed, added)
                if self._reads_as_meant(data):
                    return data
        raise InputError(self.path, None, "its layout cannot be edited", "edit it by hand")

    def _edited_text(self, removed: dict[str, list[int]], added: dict[str, list[CommentedMap]]) -> bytes:
        data = self._bytes or b"".join(f"{section}:\n".encode() for section in SECTIONS)
        text = data.decode("utf-8-sig")
        root = self._parsed(data) if text.strip() else CommentedMap()
        lines = {section: _entry_lines(nodes) for section, nodes in added.items()}
        return data[: len(data) - len(text.encode())] + edited(text, root, removed, lines).encode()

    def _edited_root(self, removed: dict[str, list[int]], added: dict[str, list[CommentedMap]]) -> bytes:
        root = self._parsed()
        for section, indices in removed.items():
            for index in reversed(indices):
                del root[section][index]
        for section, nodes in added.items():
            if root.get(section) is None:
                root[section] = CommentedSeq()
            root[section].extend(nodes)
        out = io.BytesIO()
        self._yaml.dump(root, out)
        return out.getvalue()

    def _reads_as_meant(self, data: bytes) -> bool:
        root = self._parsed(data)
        return all(
            [_content(one) for one in self._section(section, root)] == [_content(one) for one in meant]
            for section, meant in self.sections.items()
        )

    def _parsed(self, data: bytes | None = None) -> CommentedMap:
        data = self._bytes if data is None else data
        if data is None:
            return CommentedMap((section, None) for section in SECTIONS)
        try:
            root = self._yaml.load(data.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InputError(self.path, line, "not UTF-8", "save the file as UTF-8") from None
        except MarkedYAMLError as error:
            mark = error.problem_mark
            what = " ".join(str(error.problem or error.context or "not YAML").split())
            fix = "keep one of the two" if "duplicate key" in what else "correct the YAML"
            at = None if mark is None else int(mark.line) + 1
            raise InputError(self.path, at, what, fix) from None
        except RecursionError:
            raise InputError(self.path, None, "nested too deeply", "correct the YAML") from None
        except YAMLError as error:
            what = " ".join(str(error).split())
            raise InputError(self.path, None, what, "correct the YAML") from None
        except (
            Exception
        ) as error:  # ruamel's own ways to fail: a number too long, an entry merged into itself
            what = " ".join(f"cannot be read ({type(error).__name__}: {error})".split())
            raise InputError(self.path, None, what, "correct the YAML") from None
        if root is None:
            return CommentedMap()
        if not isinstance(root, CommentedMap):
            raise InputError(
                self.path, 1, "not a mapping of sections", f"use {', '.join(SECTIONS)} at the top"
            )
        for key in root:
            if key not in SECTIONS:
                raise InputError(
                    self.path,
                    root.lc.key(key)[0] + 1,
                    f"unknown section {key!r}",
                    f"use {', '.join(SECTIONS)}",
                )
        return root

    def _section(self, section: str, root: CommentedMap) -> list[Allowance]:
        listed = root.get(section)
        if listed is None:
            return []
        if not isinstance(listed, CommentedSeq):
            line = root.lc.key(section)[0] + 1
            raise InputError(
                self.path, line, f"section {section!r} is not a list", 'begin each entry with "- "'
            )
        return [
            EntryReader(self.path, listed.lc.item(at)[0] + 1, section, entry).allowance()
            for at, entry in enumerate(listed)
        ]


def _no_value(what: str) -> NoReturn:
    raise ValueError(what)


def survives(value: Any) -> bool:
    """Whether a JSON value is the same after it was written to an allowlist and read again."""
    if value is None or isinstance(value, (bool, int)):
        return True
    out = io.BytesIO()
    try:
        _yaml_like(b"").dump(CommentedMap(value=value), out)
        read = _yaml_like(b"").load(out.getvalue().decode())["value"]
        return same(plain(read, _no_value), value)
    except (YAMLError, ValueError):  # a lone surrogate among them
        return False


def _entry_lines(nodes: list[CommentedMap]) -> list[str]:
    """Entries as lines, the dash at column 0: one line a field, names of cells in one line."""
    yaml = YAML()
    yaml.Representer = _Representer
    yaml.width = 1_000_000
    yaml.indent(mapping=2, sequence=2, offset=0)
    listed = CommentedSeq()
    for node in nodes:
        entry = CommentedMap((key, _inline(value)) for key, value in node.items())
        entry["issue"] = DoubleQuotedScalarString(entry["issue"])
        listed.append(entry)
    out = io.BytesIO()
    yaml.dump(listed, out)
    return out.getvalue().decode().removesuffix("\n").split("\n")


class _Representer(RoundTripRepresenter):
    """Writes null as a word."""


_Representer.add_representer(
    type(None), lambda self, _: self.represent_scalar("tag:yaml.org,2002:null", "null")
)


def _inline(value: Any) -> Any:
    """A list or an object in one line."""
    if isinstance(value, dict):
        written: Any = CommentedMap((key, _inline(inner)) for key, inner in value.items())
    elif isinstance(value, list):
        written = CommentedSeq(_inline(inner) for inner in value)
    else:
        return value
    written.fa.set_flow_style()
    return written


def _content(allowance: Allowance) -> tuple[Any, ...]:
    """All an allowance says, comparable: values as canonical JSON, so that 1 is not true."""
    values = [None if value is UNSET else canonical(value) for value in (allowance.old, allowance.new)]
    names = (allowance.issue, allowance.reason, allowance.providers, allowance.cells, allowance.layer)
    return (*names, allowance.path, allowance.change, allowance.count, allowance.max, *values)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(
            path, None, f"cannot be read ({error.strerror})", "check the path and its mode"
        ) from None


def _yaml_like(data: bytes) -> YAML:
    """A round-trip YAML that indents lists as the file does (two spaces where it has none)."""
    yaml = round_trip()
    yaml.preserve_quotes = True
    yaml.width = 1_000_000  # never fold a line
    dash = re.search(rb"^( *)- ", data, re.MULTILINE)
    offset = 2 if dash is None else len(dash[1])
    yaml.indent(mapping=2, sequence=offset + 2, offset=offset)
    return yaml
