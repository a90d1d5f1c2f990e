"""The redactor: every rule, applied to a text, a JSON document and a whole recording.

A text is looked at until no rule finds anything in it any more, and so is a recording: what comes out is what
redaction leaves alone, whatever it is fed again. Knows the rules. Must not know files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from parity.redaction import fields
from parity.redaction.document import Edit, Node, apply, quoted, scan, without_items
from parity.redaction.known import Known, KnownTexts, learned
from parity.redaction.ledger import Ledger
from parity.redaction.streams import Path, Piece, Stream, gather, in_pieces, message_of, written
from parity.redaction.texts import RULES, Match, Rule
from parity.redaction.values import base64_of_text, bytes_of_text, text_of_base64, text_of_bytes
from parity.wire import LaneLine

_ROUNDS = 6
"""A text or a recording that still changes then is left as it is; none is known."""

_DEEPEST = 12
"""Disguises inside disguises."""

_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}(?![A-Za-z0-9+/_=-])")
_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*\\(?:[^"\\\n]|\\.)*"')
_JSON_LINE = re.compile(r"(?m)^(?:data: ?)?([{\[].*[}\]])[ \r]*$")
_FEWEST_BYTES = 8
_SHORT = 200
"""Characters; a shorter text that holds nothing is remembered, for most of them come again."""


class _Edits:
    """The edits of one document, and where the values stand that are dealt with."""

    def __init__(self) -> None:
        self.made: list[Edit] = []
        self.done: set[int] = set()

    def add(self, start: int, end: int, new: str) -> None:
        self.made.append((start, end, new))
        self.done.add(start)


class Redactor:
    """The rules of one recording, with its ledger. `on_found` is told kind and value of all it finds."""

    def __init__(
        self,
        known: Known,
        ledger: Ledger,
        without: Iterable[str] = (),
        on_found: Callable[[str, str], object] = lambda kind, value: None,
    ) -> None:
        self._off = frozenset(without)
        self._ledger = ledger
        self._rules: tuple[Rule, ...] = (KnownTexts(known), ledger, *RULES)
        self._found = on_found
        self._clean: set[str] = set()
        self._clean_at = 0

    # -- a recording ---------------------------------------------------------------------------------

    def recording(self, lines: Sequence[tuple[str, str]]) -> list[str]:
        """The texts of (lane, text) lines, redacted."""
        texts = [text for _, text in lines]
        self._round(lines, texts, range(len(texts)))
        self._ledger.settle()
        self._clean.clear()
        todo: Iterable[int] = range(len(texts))
        for _ in range(_ROUNDS):
            size = self._ledger.size
            now = self._round(
                [(lane, text) for (lane, _), text in zip(lines, texts, strict=True)], texts, todo
            )
            changed = [i for i, text in enumerate(now) if text != texts[i]]
            texts = now
            if not changed and size == self._ledger.size:
                break
            todo = range(len(texts)) if size != self._ledger.size else changed
        return texts

    def _round(self, lines: Sequence[tuple[str, str]], texts: list[str], todo: Iterable[int]) -> list[str]:
        pieces = self.pieces(lines)
        new = list(texts)
        for index in {*todo, *(i for i, values in pieces.items() if any(values.values()))}:
            new[index] = self.line(texts[index], pieces.get(index, {}))
        return new

    def pieces(self, lines: Sequence[tuple[str, str]]) -> dict[int, dict[Path, str | None]]:
        """For each line that holds pieces of a stream: place → its new content, None where it stays."""
        messages = ((lane, message_of(text)) for lane, text in lines)
        return self.places(gather(messages) if "streams" not in self._off else ())

    def places(self, streams: Iterable[Stream]) -> dict[int, dict[Path, str | None]]:
        """`pieces`, of streams that were gathered."""
        places: dict[int, dict[Path, str | None]] = {}
        for stream in streams:
            for line, piece in stream.places:
                places.setdefault(line, {})[piece.path] = None
            for line, piece in self._changed(stream):
                places[line][piece.path] = written(piece, piece.text)
        return places

    def _changed(self, stream: Stream) -> list[tuple[int, Piece]]:
        """The pieces of a stream that change, as they are then."""
        first = stream
        for _ in range(_ROUNDS):
            new = {
                (line, piece.path): text
                for line, piece, text in in_pieces(stream, self._stream_edits(stream))
            }
            if not new:
                break
            stream = _regrown(stream, new)
        pairs = zip(first.places, stream.places, strict=True)
        return [(line, new) for (line, old), (_, new) in pairs if old.text != new.text]

    def _stream_edits(self, stream: Stream) -> list[Edit]:
        text = stream.text
        if (edits := self._json_edits(text, 0)) is not None:
            return edits
        found = self._matches(text)
        if stream.gaps:
            found = [m for m in found if m.crosses or not any(m.start < gap < m.end for gap in stream.gaps)]
            for start, end in zip([0, *stream.gaps], [*stream.gaps, stream.length], strict=True):
                parts = self._matches(text[start:end])
                found += [replace(m, start=m.start + start, end=m.end + start) for m in parts]
        return self._edits_of(text, found) or self._inside(text, 0)

    # -- a line, a document --------------------------------------------------------------------------

    def line(self, text: str, pieces: Mapping[Path, str | None] | None = None) -> str:
        """A line redacted; `pieces` are the texts in it that were dealt with as parts of a stream."""
        node = scan(text)
        if node is None:
            return self.text(text)
        for _ in range(_ROUNDS):
            edits = _Edits()
            self._walk(text, node, (), "", edits, pieces or {}, 0)
            changed = apply(text, edits.made)
            node, before = scan(changed), text
            if node is None or changed == before:
                break
            text, pieces = changed, dict.fromkeys(pieces or ())
        return text

    def text(self, text: str, depth: int = 0) -> str:
        """A text redacted, which may be JSON, or hold JSON, base64 and so on."""
        if self._clean_at != self._ledger.size:
            self._clean_at = self._ledger.size
            self._clean.clear()
        if text in self._clean:
            return text
        for _ in range(_ROUNDS):
            edits = self._text_edits(text, depth)
            changed = apply(text, edits)
            if changed == text:
                break
            text = changed
        if len(text) < _SHORT and depth < _DEEPEST // 2:
            self._clean.add(text)
        return text

    def _walk(
        self,
        text: str,
        node: Node,
        path: Path,
        inside: str,
        edits: _Edits,
        pieces: Mapping[Path, str | None],
        depth: int,
    ) -> None:
        if node.start in edits.done:
            return
        if node.kind == "string":
            new = pieces[path] if path in pieces else self.text(node.value, depth)
            if new is not None and new != node.value:
                edits.add(node.start, node.end, quoted(new, text[node.start : node.end]))
        elif node.kind == "array":
            if not self._byte_array(text, node, edits, depth):
                for index, item in enumerate(node.items):
                    self._walk(text, item, (*path, index), inside, edits, pieces, depth)
        elif node.kind == "object":
            self._object(text, node, path, inside, edits, pieces, depth)

    def _object(
        self,
        text: str,
        node: Node,
        path: Path,
        inside: str,
        edits: _Edits,
        pieces: Mapping[Path, str | None],
        depth: int,
    ) -> None:
        for found in fields.of_object(node, inside):
            if found.node.start in edits.done or found.kind in self._off:
                continue
            if isinstance(found, fields.Field):
                self._field(text, found, edits)
            elif len(found.kept) < len(found.node.items):
                self._found("catalogue", f"{len(found.node.items)} entries")
                edits.made += without_items(text, found.node.items, found.kept)
                edits.done.add(found.node.start)
        for key, value in node.members:
            if (name := self.text(key.value, depth)) != key.value:
                edits.add(key.start, key.end, quoted(name, text[key.start : key.end]))
            within = fields.inner(key.value, inside)
            self._walk(text, value, (*path, key.value), within, edits, pieces, depth)

    def _field(self, text: str, found: fields.Field, edits: _Edits) -> None:
        self._found(found.kind, found.value)
        new = found.new
        if new is None:
            new = self._ledger.placeholder(found.kind, found.value)
        if found.node.kind == "string":
            new = quoted(found.keeps + new, text[found.node.start : found.node.end])
        edits.add(found.node.start, found.node.end, new)

    def _byte_array(self, text: str, node: Node, edits: _Edits, depth: int) -> bool:
        """An array of numbers that are the bytes of a text; returns whether it is one."""
        items = node.items
        if len(items) < _FEWEST_BYTES or any(len(i.value) > 3 or not i.value.isdigit() for i in items):
            return False
        numbers = [int(item.value) for item in items]
        if max(numbers) > 255 or "bytes" in self._off:
            return False
        said = text_of_bytes(bytes(numbers))
        if said is None or depth >= _DEEPEST or (new := self.text(said, depth + 1)) == said:
            return True
        comma = text[items[0].end : items[1].start]
        edits.add(items[0].start, items[-1].end, comma.join(map(str, bytes_of_text(new))))
        return True

    # -- a text --------------------------------------------------------------------------------------

    def _text_edits(self, text: str, depth: int) -> list[Edit]:
        edits = self._json_edits(text, depth)
        if edits is None:
            edits = self._edits_of(text, self._matches(text)) or self._inside(text, depth)
        return edits

    def _json_edits(self, text: str, depth: int) -> list[Edit] | None:
        """Edits of a text that is JSON; None for any other."""
        if depth >= _DEEPEST or "nested" in self._off or text.lstrip()[:1] not in ("{", "[", '"'):
            return None
        node = scan(text)
        if node is None:
            return None
        edits = _Edits()
        self._walk(text, node, (), "", edits, {}, depth + 1)
        return edits.made

    def _matches(self, text: str) -> list[Match]:
        """What the rules find, of the kinds that are on. Spans may overlap."""
        if len(text) < 3:
            return []
        return [match for rule in self._rules for match in rule(text) if match.kind not in self._off]

    def _edits_of(self, text: str, found: list[Match]) -> list[Edit]:
        """An edit for each match; of those that overlap, for the longest one, or the first."""
        taken: list[Edit] = []
        for match in sorted(found, key=lambda match: match.start - match.end):
            if any(match.start < end and match.end > start for start, end, _ in taken):
                continue
            new = match.new
            if new is None:
                new = self._ledger.placeholder(match.kind, match.value)
            if new == text[match.start : match.end] and not self._ledger.listening:
                continue
            self._found(match.kind, match.value)
            taken.append((match.start, match.end, new))
        return taken

    def _inside(self, text: str, depth: int) -> list[Edit]:
        """Edits inside what a text holds in a disguise: JSON lines, quoted literals, base64."""
        edits: list[Edit] = []
        if depth >= _DEEPEST:
            return edits
        if "nested" not in self._off:
            for pattern, group in ((_JSON_LINE, 1), (_LITERAL, 0)):
                for found in pattern.finditer(text) if '"' in text else ():
                    if _free(found.start(group), found.end(group), edits):
                        self._literal(found[group], found.start(group), edits, depth)
        for found in _BASE64.finditer(text) if len(text) > 15 and "base64" not in self._off else ():
            said = text_of_base64(found[0]) if _free(found.start(), found.end(), edits) else None
            if said is not None and (new := self.text(said, depth + 1)) != said:
                edits.append((found.start(), found.end(), base64_of_text(new, found[0])))
        return edits

    def _literal(self, literal: str, start: int, edits: list[Edit], depth: int) -> None:
        for begin, end, new in self._json_edits(literal, depth) or ():
            edits.append((begin + start, end + start, new))


def redact(
    lines: Sequence[LaneLine], known: Known, without: Iterable[str] = ()
) -> tuple[list[LaneLine], dict[str, int]]:
    """A recording without what is personal or secret, and how many different values of each kind went.

    Lines that hold nothing are the very same. Redacting twice is redacting once. `without` names kinds
    (`kinds.KINDS`) or forms (`kinds.FORMS`) that are left alone.
    """
    seen: dict[str, set[str]] = {}

    def found(kind: str, value: str) -> None:
        seen.setdefault(kind, set()).add(value)

    texts = [line.line for line in lines]
    redactor = Redactor(learned(known, texts), Ledger(texts, known.secrets), without, found)
    new = redactor.recording([(line.dir, line.line) for line in lines])
    redacted = [
        line if text == line.line else replace(line, line=text) for line, text in zip(lines, new, strict=True)
    ]
    counts = Counter({kind: len(values) for kind, values in seen.items()})
    return redacted, dict(sorted(counts.items()))


def _regrown(stream: Stream, new: Mapping[tuple[int, Path], str]) -> Stream:
    """A stream with some of its pieces changed; gaps move with them."""
    made, old = Stream(), 0
    for line, piece in stream.places:
        if old in stream.gaps:
            made.gaps.append(made.length)
        old += len(piece.text)
        text = new.get((line, piece.path), piece.text)
        made.places.append((line, replace(piece, text=text)))
        made.length += len(text)
    return made


def _free(start: int, end: int, edits: list[Edit]) -> bool:
    return not any(start < e and end > s for s, e, _ in edits)
