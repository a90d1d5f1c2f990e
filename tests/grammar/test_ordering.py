"""The ordering rules: what breaks one is dropped and counted, and the stream goes on."""

import pytest

from parity.grammar import events as e
from parity.grammar.ordering import RULES, Ordering

T1, T2 = e.Scope("turn", "turn-1"), e.Scope("turn", "turn-2")


def turn(scope: e.Scope = T1) -> e.Event:
    return e.TurnStarted("t", scope, scope.turn_id or "")


def end(scope: e.Scope = T1) -> e.Event:
    return e.TurnCompleted("t", scope, scope.turn_id or "", "completed")


def begin(item_id: str = "i", scope: e.Scope = T1) -> e.Event:
    return e.ItemStarted("t", scope, {"id": item_id, "type": "toolCall"})


def settle(item_id: str = "i", scope: e.Scope = T1) -> e.Event:
    return e.ItemCompleted("t", scope, {"id": item_id, "status": "completed"})


def delta(item_id: str = "i") -> e.Event:
    return e.AgentMessageDelta("t", T1, item_id, "a")


@pytest.mark.parametrize(
    ("rule", "stream"),
    [
        ("item/opens-before-delta:item/agentMessage/delta", [turn(), delta()]),
        ("item/opens-before-delta:item/agentMessage/delta", [turn(), begin(), settle(), delta()]),
        ("item/opens-before-delta:item/completed", [turn(), settle()]),
        ("item/settles-once:item/completed", [turn(), begin(), settle(), settle()]),
        ("turn/starts-once:turn/started", [turn(), turn()]),
        ("turn/starts-once:turn/started", [turn(), turn(T2)]),
        ("turn/settles-once:turn/completed", [turn(), end(), end()]),
        ("turn/known:turn/completed", [end()]),
        ("turn/known:item/started", [begin()]),
        ("turn/known:item/started", [turn(), begin("i", T2)]),
        ("turn/known:item/started", [turn(), end(), begin()]),
        ("turn/known:item/started", [turn(), begin("i", e.THREAD_SCOPE)]),
    ],
)
def test_a_breaking_event_is_dropped_and_counted(rule: str, stream: list[e.Event]) -> None:
    ordering = Ordering()
    admitted = [ordering.admit(event) for event in stream]
    assert admitted == [True] * (len(stream) - 1) + [False]
    assert dict(ordering.drops) == {rule: 1}


@pytest.mark.parametrize(
    "stream",
    [
        [turn(), begin(), delta(), settle(), end()],
        [turn(), begin(), begin(), settle(), end()],
        [turn(), begin(), settle(), begin(), settle(), end()],
        [turn(), end(), turn(T2), begin("j", T2), settle("j", T2), end(T2)],
        [e.ProviderWarningEvent("t", e.THREAD_SCOPE, "w"), e.ThreadStarted("t", e.THREAD_SCOPE)],
    ],
)
def test_a_stream_that_keeps_the_rules_is_admitted_whole(stream: list[e.Event]) -> None:
    ordering = Ordering()
    assert all(ordering.admit(event) for event in stream)
    assert not ordering.drops


def test_the_stream_goes_on_after_a_drop() -> None:
    ordering = Ordering()
    stream = [turn(), delta("nobody"), begin(), settle(), settle(), end()]
    assert [ordering.admit(event) for event in stream] == [True, False, True, True, False, True]
    assert sum(ordering.drops.values()) == 2


def test_late_work_may_settle_after_its_turn() -> None:
    ordering = Ordering()
    late = e.DelegationCompleted("t", T1, {"id": "i", "status": "completed"})
    assert all(ordering.admit(event) for event in [turn(), begin(), end(), late])
    assert not ordering.admit(late)


def test_every_drop_names_one_of_the_five_rules() -> None:
    ordering = Ordering()
    for event in [end(), begin(), delta(), settle(), turn(), turn(), end(), end()]:
        ordering.admit(event)
    assert {drop.split(":")[0] for drop in ordering.drops} <= set(RULES)
