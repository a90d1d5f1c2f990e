"""Tasks: which call each of the agent's tasks (sub-agents, background commands) is the work of.

A task names its call when it starts; a structured result names the task. Permission requests of a sub-agent
name only its task. A task is forgotten once it is over, or once its call is.
"""

from __future__ import annotations

from collections.abc import Container

from parity.lanes.claude_code.frames import Task


class Tasks:
    """Task id → call id."""

    def __init__(self) -> None:
        self._calls: dict[str, str] = {}

    def learn(self, frame: Task) -> None:
        """Take what a task frame says of its call."""
        if frame.call_id is not None:
            self._calls[frame.id] = frame.call_id

    def adopt(self, task_id: str, call_id: str) -> None:
        """A call's result handed its work over to this task."""
        if task_id:
            self._calls[task_id] = call_id

    def forget(self, task_id: str) -> None:
        """The task is over."""
        self._calls.pop(task_id, None)

    def keep(self, calls: Container[str]) -> None:
        """Forget the tasks of all other calls."""
        self._calls = {task_id: call_id for task_id, call_id in self._calls.items() if call_id in calls}

    def call_of(self, task_id: str | None) -> str | None:
        """The call the task is the work of."""
        return self._calls.get(task_id) if task_id is not None else None
