"""What is wrong with a command line, in the referee's own words.

Typer finds it and would say it in a frame, in the words of the library behind it, and with
``--json`` not at all to the machine that listens.
"""

import re
from difflib import get_close_matches
from typing import Any, Final

from referee.match.faults import WrongUsage, quoted

_KINDS: Final = (
    (re.compile(r"valid integer"), "write a whole number"),
    (re.compile(r"valid (?:number|float)"), "write a number"),
    (re.compile(r"greater than or equal to ([0-9.]+)|x>=([0-9.]+)(?!.*<=)"), "write {} or more"),
    (re.compile(r"less than or equal to ([0-9.]+)|x<=([0-9.]+)"), "write {} or less"),
)
"""How the library says that a value does not do, and what to do instead."""


def did_you_mean(typed: str, known: list[str]) -> str:
    """Return a question after the nearest known word, blank where none is near."""
    near = get_close_matches(typed.lower(), known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def no_such_command(typed: str, known: list[str]) -> WrongUsage:
    """Return what to say of a command that is none."""
    near = did_you_mean(typed, known)
    return WrongUsage(f"there is no command {quoted(typed)}{near or '; referee --help lists them'}")


def in_our_words(error: BaseException) -> WrongUsage | None:
    """Return what to say of an error that Typer found in the command line; None for any other."""
    if not hasattr(error, "format_message"):
        return None
    context = getattr(error, "ctx", None)
    path = "referee" if context is None else context.command_path
    return WrongUsage(f"{_said(error, context)}\nSee: {path} --help")


def _said(error: Any, context: Any) -> str:
    option, parameter = str(getattr(error, "option_name", "")), getattr(error, "param", None)
    text = str(getattr(error, "message", "")) or error.format_message()
    if hasattr(error, "possibilities"):
        known = [name for one in context.command.params for name in one.opts]
        return f"there is no option {option}{did_you_mean(option, known)}"
    if hasattr(error, "param_type"):
        return f"name {_shown(parameter)}{_or_environment(parameter)}"
    if parameter is not None:
        return f"{_shown(parameter)}: {_mended(text)}"
    if option:
        takes = "leave out its value" if "not take" in text else "a value is missing behind it"
        return f"{option}: {takes}"
    extra = re.search(r"extra arguments? \((.*)\)|argument\(s\) \((.*)\)", text)
    if extra:
        words = extra[1] or extra[2]
        return f"{words}: too much; put quotation marks around a value that holds blanks"
    return text


def _shown(parameter: Any) -> str:
    if parameter.param_type_name == "option":
        return str(parameter.opts[0])
    return str(parameter.metavar or parameter.name.upper())


def _or_environment(parameter: Any) -> str:
    return f", or set {parameter.envvar}" if getattr(parameter, "envvar", None) else ""


def _mended(text: str) -> str:
    for pattern, words in _KINDS:
        if found := pattern.search(text):
            return words.format(*filter(None, found.groups()))
    return text
