"""The agent's task list: what TodoWrite says whole and TaskCreate, TaskUpdate and TaskList say in steps.

A call shows the list as it leaves it. The list lives as long as the session and is bounded by it; only a
call that succeeded changes it.
"""

from __future__ import annotations

from typing import Any

Step = dict[str, Any]
"""{step, status?}"""


def todo_steps(todos: Any) -> list[Step] | None:
    """The steps of a TodoWrite; None where there is no list."""
    if not isinstance(todos, list):
        return None
    return [
        _step(todo["content"], todo.get("status"))
        for todo in todos
        if isinstance(todo, dict) and isinstance(todo.get("content"), str)
    ]


class TaskList:
    """The tasks of a session by the agent's id of each."""

    def __init__(self) -> None:
        self._tasks: dict[str, Step] = {}

    def preview(self, name: str, value: dict[str, Any]) -> list[Step] | None:
        """The list as an open call would leave it; None when there would be none."""
        tasks = dict(self._tasks)
        if name == "TaskCreate" and isinstance(value.get("subject"), str):
            return [*tasks.values(), _step(value["subject"], "pending")]
        if name == "TaskUpdate":
            _update(tasks, value)
        return list(tasks.values()) or None

    def settle(self, name: str, value: dict[str, Any], result: Any) -> list[Step] | None:
        """The list after a call that succeeded with this structured result."""
        result = result if isinstance(result, dict) else {}
        if name == "TaskCreate":
            task = result.get("task")
            task = task if isinstance(task, dict) else {}
            subject = task.get("subject", value.get("subject"))
            if isinstance(subject, str):
                number = task.get("id", len(self._tasks) + 1)
                self._tasks[str(number)] = _step(subject, "pending")
        elif name == "TaskUpdate" and result.get("success") is not False:
            _update(self._tasks, value)
        elif name == "TaskList" and isinstance(result.get("tasks"), list):
            self._tasks = {}
            for task in result["tasks"]:
                self._learn(task)
        elif name == "TaskGet":
            self._learn(result.get("task"))
        return list(self._tasks.values()) or None

    def _learn(self, task: Any) -> None:
        if isinstance(task, dict) and isinstance(task.get("subject"), str):
            self._tasks[str(task.get("id"))] = _step(task["subject"], task.get("status"))


def _update(tasks: dict[str, Step], value: dict[str, Any]) -> None:
    number = str(value.get("taskId"))
    known = tasks.get(number)
    if known is None:
        return
    if value.get("status") == "deleted":
        del tasks[number]
        return
    subject = value.get("subject")
    tasks[number] = _step(
        subject if isinstance(subject, str) else known["step"], value.get("status") or known.get("status")
    )


def _step(text: str, status: Any) -> Step:
    return {"step": text, "status": status} if isinstance(status, str) else {"step": text}
