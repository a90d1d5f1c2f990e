"""Text: streamed blocks and whole ones, each once and in order."""

from claude_frames import (
    Json,
    assistant,
    block_delta,
    block_start,
    block_stop,
    done,
    message_start,
    prompted,
    result_of,
    stream,
    text,
    text_delta,
    thinking,
    turn,
    use,
)
from hypothesis import given
from hypothesis import strategies as st


def messages(run_rows: list[Json]) -> list[str]:
    return [row["text"] for row in run_rows if row["kind"] == "message"]


def test_s48_one_frame_for_each_block_of_a_message() -> None:
    run = turn(
        assistant(thinking("hm")), assistant(text("one")), assistant(text("two")), assistant(use("c1"))
    )
    assert [row["kind"] for row in run.all_rows] == ["turn", "reasoning", "message", "message", "command"]


def test_s48_streamed_and_whole_blocks_come_once_in_order() -> None:
    run = turn(
        message_start(),
        block_start(0, thinking("")),
        block_delta(0, "thinking_delta", "thinking", "I th"),
        block_delta(0, "thinking_delta", "thinking", "ink"),
        block_delta(0, "signature_delta", "signature", "x"),
        assistant(thinking("I think")),
        block_stop(0),
        block_start(1, text("")),
        text_delta(1, "Hello "),
        text_delta(1, "there"),
        assistant(text("Hello there")),
        block_stop(1),
    )
    assert [(row["kind"], row.get("text")) for row in run.all_rows[1:]] == [
        ("reasoning", "I think"),
        ("message", "Hello there"),
    ]
    deltas = run.events_of("item/agentMessage/delta", "item/reasoning/textDelta")
    assert [event["delta"] for event in deltas] == ["I th", "ink", "Hello ", "there"]


def test_s48_a_stream_whose_index_begins_anew_has_a_block_for_each() -> None:
    run = turn(
        message_start(),
        block_start(0, text("")),
        text_delta(0, "one"),
        assistant(text("one")),
        block_stop(0),
        block_start(0, text("")),
        text_delta(0, "two"),
        assistant(text("two")),
    )
    assert messages(run.all_rows) == ["one", "two"]


def test_s48_whole_blocks_may_all_come_after_the_stream() -> None:
    run = turn(
        message_start(),
        block_start(0, text("")),
        text_delta(0, "one"),
        block_stop(0),
        block_start(1, text("")),
        text_delta(1, "two"),
        block_stop(1),
        assistant(text("one"), text("two")),
    )
    assert messages(run.all_rows) == ["one", "two"]


def test_s11_a_piece_that_comes_after_the_whole_changes_nothing() -> None:
    run = turn(message_start(), text_delta(0, "a"), assistant(text("ab")), text_delta(0, "b"))
    assert messages(run.all_rows) == ["ab"]
    assert [event["delta"] for event in run.events_of("item/agentMessage/delta")] == ["a", "b"]


def test_s47_an_empty_block_opens_nothing() -> None:
    lines = [message_start(), block_start(0, text("")), assistant(text("")), assistant(thinking(""))]
    run = turn(*lines, ending=done())
    assert [row["kind"] for row in run.all_rows] == ["turn"]


def test_a_stream_that_stops_without_its_whole_keeps_its_text() -> None:
    run = turn(
        message_start("msg-1"),
        text_delta(0, "half"),
        message_start("msg-2"),
        text_delta(0, "next"),
        assistant(text("next"), message_id="msg-2"),
    )
    assert messages(run.all_rows) == ["half", "next"]


def test_a_streamed_input_is_read_when_it_is_whole() -> None:
    run = prompted().feed(
        message_start(),
        block_start(0, use("c1", "Read")),
        block_delta(0, "input_json_delta", "partial_json", '{"file_pa'),
        block_delta(0, "input_json_delta", "partial_json", 'th": "/a"}'),
        block_stop(0),
    )
    assert run.row("fileRead")["path"] == "/a"


def test_a_streamed_input_that_is_cut_off_leaves_the_call_generic() -> None:
    run = turn(
        message_start(),
        block_start(0, use("c1", "Read")),
        block_delta(0, "input_json_delta", "partial_json", '{"file_pa'),
        block_stop(0),
    )
    assert run.row("tool")["toolName"] == "Read"


def test_the_source_of_a_passage_leaves_its_text_alone() -> None:
    citation = {"type": "page_location", "cited_text": "tea", "document_index": 0}
    run = turn(
        message_start(),
        block_start(0, text("")),
        text_delta(0, "Tea "),
        stream("content_block_delta", index=0, delta={"type": "citations_delta", "citation": citation}),
        text_delta(0, "is hot"),
        assistant({**text("Tea is hot"), "citations": [citation]}),
        block_stop(0),
    )
    assert messages(run.rows) == ["Tea is hot"]
    assert run.events_of("provider/unhandled") == []


def test_a_streamed_summary_of_the_context_is_one_compaction() -> None:
    summary = {"type": "compaction", "content": "We talked of tea.", "encrypted_content": None}
    run = turn(
        message_start(),
        block_start(0, {**summary, "content": None}),
        stream("content_block_delta", index=0, delta={**summary, "type": "compaction_delta"}),
        assistant(summary),
        block_stop(0),
        assistant(text("on")),
    )
    assert [row["kind"] for row in run.all_rows] == ["turn", "compaction", "message"]


def test_s28_a_block_nobody_knows_is_kept_and_the_rest_is_read() -> None:
    run = turn(
        assistant({"type": "hologram", "x": 1}, text("seen")), assistant({"type": "redacted_thinking"})
    )
    assert run.row("unhandled")["title"] == "assistant/hologram"
    assert messages(run.all_rows) == ["seen"]


def test_s48_usage_counts_once_for_each_message_and_the_last_record_wins() -> None:
    run = turn(
        assistant(text("a"), usage={"input_tokens": 10, "output_tokens": 1}),
        assistant(use("c1"), usage={"input_tokens": 10, "output_tokens": 7}),
        result_of("c1", ""),
        assistant(text("b"), message_id="msg-2", usage={"input_tokens": 20, "output_tokens": 3}),
    )
    lasts = [event["last"] for event in run.events_of("thread/tokenUsage/updated") if "last" in event]
    assert lasts == [{"inputTokens": 10, "outputTokens": 7}, {"inputTokens": 20, "outputTokens": 3}]


def test_s48_a_streamed_messages_last_record_is_its_delta() -> None:
    delta = {"type": "stream_event", "event": {"type": "message_delta", "usage": {"output_tokens": 9}}}
    run = turn(message_start(usage={"input_tokens": 5, "output_tokens": 1}), text_delta(0, "a"), delta)
    (usage,) = run.events_of("thread/tokenUsage/updated")
    assert usage["last"] == {"inputTokens": 5, "outputTokens": 9}


def test_a_result_tells_the_turns_usage_the_total_and_the_window() -> None:
    run = prompted().feed(assistant(text("a"), usage={"input_tokens": 10, "output_tokens": 2}))
    models = {"claude-opus-5-5": {"inputTokens": 30, "outputTokens": 6, "contextWindow": 1000}}
    run.feed(done("a", usage={"input_tokens": 10, "output_tokens": 2}, modelUsage=models))
    last = run.events_of("thread/tokenUsage/updated")[-1]
    assert last["turn"] == {"inputTokens": 10, "outputTokens": 2}
    assert last["total"] == {"inputTokens": 30, "outputTokens": 6}
    (window,) = run.events_of("thread/contextWindowUsage/updated")
    assert (window["used"], window["size"]) == (12, 1000)


@st.composite
def split_text(draw: st.DrawFn) -> tuple[str, list[str]]:
    pieces = draw(st.lists(st.text(max_size=6), max_size=8))
    return "".join(pieces), pieces


@given(blocks=st.lists(split_text(), min_size=1, max_size=4), whole=st.booleans(), late=st.booleans())
def test_no_split_of_a_text_doubles_or_loses_any_of_it(
    blocks: list[tuple[str, list[str]]], whole: bool, late: bool
) -> None:
    run = prompted().feed(message_start())
    for index, (words, pieces) in enumerate(blocks):
        run.feed(block_start(index, text("")), *[text_delta(index, piece) for piece in pieces])
        if whole and not late:
            run.feed(assistant(text(words)))
        run.feed(block_stop(index))
    if whole and late:
        run.feed(*[assistant(text(words)) for words, _ in blocks])
    run.feed(done())
    assert messages(run.all_rows) == [words for words, _ in blocks if words]
    assert run.drops == {}
