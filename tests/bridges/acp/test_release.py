"""A released thread: nothing more is said of it, nothing waits for it, and its name is free again."""

from acp_frames import AcpRun, ask, message, prompted, tool_call

THREAD = "thread-a"


def deltas_after_release(run: AcpRun, since: int) -> list[str]:
    return [told["method"] for told in run.told[since:]]


def test_the_answer_to_a_released_threads_prompt_says_nothing() -> None:
    run = prompted()
    run.stop("release")
    before = len(run.told)
    run.answer_prompt()
    assert deltas_after_release(run, before) == []


def test_a_thread_released_before_it_opened_is_refused_and_never_told_of() -> None:
    run = AcpRun(start=False)
    run.initialize()
    started = run.start()
    run.stop("release")
    run.answer_session()
    assert run.answer_of(started)["error"]["code"] == -32603
    assert run.told == []
    run.feed(message("late"))
    assert run.events == []


def test_a_question_of_a_released_thread_is_answered_to_the_agent_at_once() -> None:
    run = prompted().feed(tool_call("mine"), ask("mine"))
    before = len(run.told)
    run.stop("release")
    assert run.responses(0)[0]["result"] == {"outcome": {"outcome": "cancelled"}}
    assert run.sent_of("session/cancel") == []
    assert deltas_after_release(run, before) == []


def test_the_name_of_a_released_thread_can_be_used_again() -> None:
    run = prompted()
    first = run.sent_of("session/prompt")[-1]["id"]
    run.stop("release")
    run.start()
    run.answer_session("session-b")
    run.prompt()
    run.provider({"jsonrpc": "2.0", "id": first, "result": {"stopReason": "end_turn"}})
    run.feed(message("new"), session="session-b").answer_prompt()
    assert run.turn["status"] == "completed"
    assert run.texts == ["new"]
