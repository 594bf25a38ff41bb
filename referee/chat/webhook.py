"""One Discord webhook: a message and its files sent once, and what came of it said for certain.

discord-webhook makes the request (files, mentions, threads). Its own `execute` is left alone: it
waits for a rate limit without a bound, logs what Discord answers, and breaks on an answer that is
no JSON. The address holds the webhook's token; it is never printed, and no error carries it.
"""

import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from referee.match.faults import Unavailable, WrongUsage, visible

if TYPE_CHECKING:
    import requests

VARIABLE: Final = "REFEREE_DISCORD_WEBHOOK"
_ADDRESS: Final = re.compile(
    r"https://(?:(?:ptb|canary)\.)?discord(?:app)?\.com/api(?:/v[0-9]+)?/webhooks/"
    r"[0-9]+/[A-Za-z0-9_.-]+(?:\?thread_id=[0-9]+)?"
)
_PATIENCE: Final = 30.0
"""Seconds that Discord has to answer one request."""
_LONGEST_WAIT: Final = 60.0
"""Seconds that may be waited for a rate limit, all in all."""

Tell = Callable[[str], None]


class Unanswered(Unavailable):
    """Discord did not say what came of a message: it may stand in the channel or not."""


def webhook_address(file: Path | None, environment: Mapping[str, str]) -> str:
    """Return the webhook's address: from a file, else from the environment.

    Raises `WrongUsage` where there is none or what is there is no address of a webhook, and
    `Unavailable` where the file cannot be read; neither shows what stands there.
    """
    if file is None:
        text, place = environment.get(VARIABLE, ""), VARIABLE
    else:
        place = str(file)
        try:
            text = file.read_text("utf-8-sig")
        except (OSError, UnicodeError):
            raise Unavailable(f"{visible(place)} cannot be read as a text file") from None
    if not text.strip():
        raise WrongUsage(
            "to post, the referee needs your channel's webhook: in Discord open the channel's "
            f"settings, Integrations, Webhooks, copy the webhook's URL, and put it into {VARIABLE} "
            "or into a file that you name with --webhook-file"
        )
    if not _ADDRESS.fullmatch(text.strip()):
        raise WrongUsage(
            f"{visible(place)} does not hold a Discord webhook's address: copy it anew, it begins "
            "with https://discord.com/api/webhooks/"
        )
    return text.strip()


class Webhook:
    """A channel that can be posted to; making one sends nothing.

    ``sleep`` waits for so many seconds, ``tell`` is told in a line what is waited for.
    """

    def __init__(
        self, address: str, tell: Tell, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._address = address
        self._tell = tell
        self._sleep = sleep

    def post(self, text: str, files: Mapping[str, bytes], ping: str = "") -> str:
        """Post one message with files by name, and return its id.

        Nobody is mentioned but ``ping``: a role's id, ``@everyone`` or ``@here``. Raises
        `Unavailable` where it was surely not posted, `Unanswered` where nobody can know.
        """
        waited = 0.0
        while True:
            answer = self._sent(text, files, ping)
            if answer.status_code != 429:
                return _message_id(answer)
            pause = _retry_after(answer)
            waited += pause
            if waited > _LONGEST_WAIT:
                raise Unavailable(
                    f"Discord asks to wait {pause:.0f} s before posting again; nothing was posted",
                    passes=True,
                )
            self._tell(f"Discord asks to wait {pause:.1f} s …")
            self._sleep(pause)

    def _sent(self, text: str, files: Mapping[str, bytes], ping: str) -> "requests.Response":
        try:
            from discord_webhook import DiscordWebhook
        except ModuleNotFoundError:
            raise WrongUsage(
                "posting needs one more package: pip install 'referee[discord]'"
            ) from None
        message = DiscordWebhook(
            self._address, content=text, allowed_mentions=allowed_mentions(ping), timeout=_PATIENCE
        )
        for name, data in files.items():
            message.add_file(data, name)
        import requests

        try:
            answer: requests.Response = message.api_post_request()
        except OSError as error:
            if not isinstance(error, requests.RequestException) or _never_left(error):
                raise Unavailable(
                    "Discord cannot be reached; nothing was posted", passes=True
                ) from None
            raise Unanswered("Discord did not answer in time", passes=False) from None
        return answer


def allowed_mentions(ping: str) -> dict[str, Any]:
    """Return whom a message may mention: nobody but who is asked for."""
    who = ping.strip()
    if who in ("@everyone", "@here"):
        return {"parse": ["everyone"]}
    role = re.search(r"[0-9]+", who)
    return {"parse": [], "roles": [role[0]]} if role else {"parse": []}


def _never_left(error: BaseException) -> bool:
    """Whether a request failed before its message could reach Discord.

    What really happened lies inside: behind a proxy a connection that broke later is a ProxyError
    as well.
    """
    from ssl import SSLCertVerificationError

    from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

    before = NewConnectionError | ConnectTimeoutError | SSLCertVerificationError
    if isinstance(error, before) or "Tunnel connection failed" in str(error):
        return True
    inner = [*error.args, getattr(error, "reason", None), error.__cause__]
    return any(isinstance(one, BaseException) and _never_left(one) for one in inner)


def _message_id(answer: "requests.Response") -> str:
    """Return the id of the message that Discord says it posted; raises as `Webhook.post` does."""
    told = _object(answer)
    if answer.status_code == 200 and not answer.history and str(told.get("id", "")).isdecimal():
        return str(told["id"])
    if 400 <= answer.status_code < 500:
        raise Unavailable(f"{_refusal(answer.status_code, told)}; nothing was posted", passes=False)
    raise Unanswered(
        f"Discord answered with an error of its own ({answer.status_code})", passes=False
    )


def _refusal(status: int, told: Mapping[str, Any]) -> str:
    if told.get("code") == 10015 or status == 404:
        return "the webhook is gone: make a new one in the channel's settings and give its address"
    if told.get("code") == 50027 or status in (401, 403):
        return "Discord does not take the webhook's token: copy the webhook's address anew"
    if status == 413:
        return "the files are too large for Discord"
    if isinstance(message := told.get("message"), str):
        return f"Discord refused the message ({visible(message[:200])})"
    return f"Discord refused the message ({status})"


def _retry_after(answer: "requests.Response") -> float:
    """Return how many seconds Discord asks to wait, a little more than it says."""
    told = _object(answer).get("retry_after", answer.headers.get("Retry-After", "5"))
    try:
        return min(max(float(told), 0.0), 86_400.0) + 0.15
    except (TypeError, ValueError):
        return 5.0


def _object(answer: "requests.Response") -> dict[str, Any]:
    """Return the JSON object that Discord answered with, empty where it is none."""
    try:
        told = answer.json()
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
