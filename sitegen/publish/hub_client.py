"""The model hub's own client, made quiet, and its errors as one line that says what happened and what to do.

The token is looked up by the client (`HF_TOKEN`, `hf auth login`) and never read into a message: what the hub says goes
through `without_secrets`, and the token's own text is cut out of it.

Source: huggingface_hub 2.4 `errors.py`, `utils/_http.py` (`hf_raise_for_status`), `utils/_auth.py` (`get_token`).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from sitegen.errors import SitegenError
from sitegen.publish.git_work import without_secrets

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_LOG_IN = "set HF_TOKEN, or log in with: hf auth login"
_STATUS = {
    400: "the hub does not accept this",
    401: f"the hub does not accept your token; make a new one in your settings there, then {_LOG_IN}",
    402: "the hub wants a paid plan for this",
    403: "your token may not do this; make one that may write there, or ask the owner for the right",
    404: f"there is no such repository, or your token may not see it; check the name, or {_LOG_IN}",
    409: "another change is being made there; run the same command again in a moment",
    412: "somebody else has changed it meanwhile; run the same command again",
    413: "the hub finds it too large",
    429: "the hub has had too many requests from you; wait a few minutes, then run the same command again",
}
_TROUBLE = "the hub is in trouble; run the same command again later"
_CONNECTION = "the connection failed; run the same command again"
_XET_STATUS = re.compile(r"\bHTTP status (?:client|server) error \((\d{3})\b")
"""What hf_xet 1.8, which sends and fetches large files, says of a refusal: a `ConnectionError` without more."""
_SAID = (400, 402, 403, 413)
"""Statuses of which the hub's own words say more."""


class HubError(SitegenError):
    """What the hub refused, or why it was not reached."""


def client(*, writing: bool) -> HfApi:
    """The hub's client; progress bars and warnings of its own are off.

    Args:
        writing: Whether something is to be changed there, which takes a token.

    Raises:
        HubError: a token is needed and there is none.
    """
    from huggingface_hub import HfApi, constants, get_token
    from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]  # exported lazily
    from huggingface_hub.utils.logging import set_verbosity

    if constants.HF_HUB_DISABLE_PROGRESS_BARS is None:
        disable_progress_bars()
    set_verbosity(logging.ERROR)
    if writing and get_token() is None:
        raise HubError(f"the hub takes nothing without a token; {_LOG_IN}")
    return HfApi(endpoint=constants.ENDPOINT, library_name="sitegen")


@contextmanager
def hub_errors(subject: str, done: Callable[[], str] | None = None) -> Iterator[None]:
    """Turns what the hub refuses into one line.

    Args:
        subject: What was being worked on.
        done: What to add: how far it came.

    Raises:
        HubError: instead of every error of the client.
    """
    from huggingface_hub.errors import HFValidationError, LocalTokenNotFoundError, OfflineModeIsEnabled

    try:
        yield
    except HFValidationError:
        raise HubError(f"{subject}: is no name of a repository; give ORG/NAME") from None
    except OfflineModeIsEnabled:
        raise HubError(f"{subject}: HF_HUB_OFFLINE is set; unset it to reach the hub") from None
    except LocalTokenNotFoundError:
        raise HubError(f"{subject}: {_LOG_IN}") from None
    except UnicodeEncodeError:
        raise HubError(f"{subject}: your token has a character that no token has; {_LOG_IN}") from None
    except (_http_error(), OSError, RuntimeError, ValueError) as error:
        more = done() if done is not None else ""
        raise HubError(f"{subject}: {_reason(_cause(error))}{more}") from None


def status_of(error: BaseException) -> int | None:
    """The status that the hub answered with; None when there was no answer."""
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    if isinstance(status, int):
        return status
    told = _XET_STATUS.search(str(error)) if isinstance(error, ConnectionError) else None
    return int(told[1]) if told else None


def _http_error() -> type[Exception]:
    """The error of the HTTP library that the hub's client is made with."""
    from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]  # whichever library it is

    return cast(type[Exception], HTTPError)


def _cause(error: BaseException) -> BaseException:
    """The error behind those that only wrap another."""
    while status_of(error) is None and not isinstance(error, _http_error()) and error.__cause__ is not None:
        error = error.__cause__
    return error


def _reason(error: BaseException) -> str:
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

    status = status_of(error)
    if isinstance(error, GatedRepoError):
        return "is gated; ask for access on its page, with the account of your token"
    if isinstance(error, RepositoryNotFoundError) and status != 403:
        return _STATUS[404]
    if status is not None:
        text = _STATUS.get(status, _TROUBLE if status >= 500 else "the hub refuses")
        said = _first_line(str(getattr(error, "server_message", None) or "")) if status in _SAID else ""
        return f"{text} (HTTP {status}{': ' + said if said else ''})"
    if isinstance(error, (_http_error(), ConnectionError)):
        return _CONNECTION
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'this machine'}: {error.strerror}"
    return _first_line(str(error)) or type(error).__name__


def _first_line(text: str) -> str:
    """The first line of what the hub says, without any credential."""
    from huggingface_hub import get_token

    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    token = get_token()
    return without_secrets(line.replace(token, "***") if token else line)[:300]
