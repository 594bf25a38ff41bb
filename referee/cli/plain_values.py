"""Values of the command line that need no converting, taken as they are.

Typer hands every value to pydantic, also one that is not given; importing that takes as long as
half a resolving. A text that stays a text, a whole number in plain digits and an option that is
not given come out the same without it. All else goes Typer's way, and so do its complaints; a
Typer that converts in some other way is left alone.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

_DIGITS: Final = re.compile("[0-9]{1,18}")


def take_plainly(parameters: list[Any]) -> list[Any]:
    """Return the options and arguments of a command, which now take plain values as they are."""
    for parameter in parameters:
        usual = getattr(parameter, "get_runtime_param", None)
        if usual is not None and "get_runtime_param" not in vars(parameter):
            parameter.get_runtime_param = partial(_Conversion, usual)
    return parameters


class _Conversion:
    """Converts one value, by Typer's ``usual`` conversion where there is something to convert."""

    def __init__(self, usual: Callable[[], Any]) -> None:
        self._usual = usual

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value a command gets; raises what Typer raises."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        kind = param.type_descriptor
        # What is not printable may be half a character, which Typer refuses.
        if isinstance(value, str) and value.isprintable() and kind.parameter_info.parser is None:
            if kind.annotation is str:
                return value
            if kind.annotation is int and _DIGITS.fullmatch(value) and not kind.is_ranged:
                return int(value)
        return self._usual().coerce(value, param=param, ctx=ctx)
