"""The command line's applications and the options its commands share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand, TyperOption

from parity.gates.settings import Settings, load_settings
from parity.wire import InputError

_Run = TypeVar("_Run", bound=Callable[..., Any])


class _OnceCommand(TyperCommand):
    """A command that refuses an option given twice: of two values, one would be passed over in silence."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments as ever. Raises InputError for a repeated option that takes one value."""
        given = Counter(id(param) for param in self.make_parser(ctx).parse_args(list(args))[2])
        for param in self.get_params(ctx):
            takes_one = isinstance(param, TyperOption) and not (param.multiple or param.is_flag)
            if given[id(param)] > 1 and takes_one:
                name = max(param.opts, key=len)
                raise InputError(name, None, "given more than once", f"give one {name}")
        return super().parse_args(ctx, args)


class _Application(typer.Typer):
    """An application whose commands are all `_OnceCommand`."""

    def command(self, name: str | None = None, **rest: Any) -> Callable[[_Run], _Run]:
        """Register a command."""
        return super().command(name, cls=_OnceCommand, **rest)


app = _Application(
    name="parity",
    help="Replay recorded agent traffic through translators and show where they lie.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
rerecord_app = _Application(
    name="rerecord",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Recordings = Annotated[
    Path | None,
    typer.Option("--recordings", metavar="DIR", help="Recordings; counts and allowlist are beside it."),
]
Provider = Annotated[str | None, typer.Option("--provider", "-p", metavar="P", help="Only this provider.")]
CellName = Annotated[str | None, typer.Option("--cell", "-c", metavar="C", help="Only this cell.")]
Json = Annotated[bool, typer.Option("--json", help="JSON on standard output and nothing else.")]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="DIR", help="Write a report for a browser into DIR.")
]
CellArgument = Annotated[str, typer.Argument(metavar="CELL", help="provider/cell or a directory.")]


def settings_for(recordings: Path | None, strict: bool = False) -> Settings:
    """The settings of the current directory; raises InputError."""
    try:
        here = Path.cwd()
    except OSError:
        what = "the current folder does not exist any more"
        raise InputError(".", None, what, "change into one that does") from None
    return load_settings(here, recordings=recordings, strict=strict)
