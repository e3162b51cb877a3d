"""What is hidden in a text: secrets, home folders, e-mail addresses. Masking twice changes nothing more.

Shapes of well-known tokens: the providers' own documentation, checked 2026-11 (Hugging Face `hf_`, OpenAI and
Anthropic `sk-`, GitHub `ghp_` and `github_pat_`, AWS `AKIA`, Google `AIza`, Slack `xox`, GitLab `glpat-`).
Hexadecimal keys without a prefix look like git hashes and are known only by the name of their setting.
"""

from __future__ import annotations

import re

MASK = "••••"
"""Stands for a secret or an address."""
HOME = "~"
"""Stands for somebody's home folder."""

_SECRET_WORDS = frozenset(
    {"token", "secret", "password", "passwd", "credential", "secrets", "passwords", "credentials", "apikey"}
)
_SECRET_PAIRS = frozenset({("api", "key"), ("access", "key"), ("private", "key"), ("secret", "key")})
_CONTAINERS = frozenset({"secrets", "passwords", "credentials"})
_MODEL_TOKENS = frozenset(
    {"eos", "bos", "pad", "unk", "cls", "sep", "mask", "image", "audio", "video", "special", "stop", "start", "end"}
    | {"begin", "think", "per", "last", "first", "next", "by", "each"}
)
"""Words before `token` that speak of a model's vocabulary or of a rate."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_LIKELY = re.compile(
    r"@|/home/|[/\\]Users[/\\]|/root|hf_|(?<![A-Za-z0-9_])sk-|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|A(?:KIA|SIA)|AIza|dtn_|eyJ"
    r"|-----BEGIN|(?i:token|secret|passw|credential|api.?key|access.?key|private.?key|bearer|signature|sig=)"
)
"""Nothing is hidden in a text without a match: most texts are done after this one search."""

_SHAPES = re.compile(
    r"(?<![A-Za-z0-9_])(?:"
    r"hf_[A-Za-z0-9]{20,}\w*"
    r"|sk-(?:proj|svcacct|admin|ant|or|lf)-[A-Za-z0-9_-]{20,}"
    r"|sk-[A-Za-z0-9]{20,}\w*"
    r"|gh[pousr]_[A-Za-z0-9]{20,}\w*"
    r"|github_pat_[A-Za-z0-9_]{20,}"
    r"|glpat-[A-Za-z0-9_-]{20,}"
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}"
    r"|A(?:KIA|SIA)[A-Z0-9]{16}(?!\w)"
    r"|AIza[A-Za-z0-9_-]{35}"
    r"|dtn_[A-Za-z0-9]{32,}"
    r"|eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]+"
    r")|(?:hf|gh[pousr])_[A-Za-z0-9]{30,}\w*"  # so long that it counts even when glued to a word
)
_PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:[A-Za-z0-9+/=\s\\]|(?:Proc-Type|DEK-Info):[^\n]*)*"
    r"(?:-----END [A-Z0-9 ]*PRIVATE KEY-----)?"
)
_BEARER = re.compile(r"\b(?i:(bearer|authorization:[ \t]*basic)[ \t]+)[A-Za-z0-9._~+/-]{16,}=*")
_URL_LOGIN = re.compile(r"(?<=://)(?:[^/\s:@\"'<>]*:[^/\s@\"'<>]+|[^/\s:@\"'<>]{16,})(?=@)")
_URL_QUERY = re.compile(
    r"(?i)([?&](?:token|access_token|auth_token|api_key|apikey|key|secret|password|sig|signature|x-amz-signature"
    r"|x-amz-credential|x-amz-security-token)=)[^&\s\"'<>)#]+"
)
_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])(?!git@)[A-Za-z0-9._%+-]{1,64}@(?!v?\d+\.\d)"
    r"(?:(?=[0-9-]{0,62}[A-Za-z])[A-Za-z0-9-]{1,63}\.|\d{1,63}\.(?=(?:com|cn|net)\b))"
    r"(?:[A-Za-z0-9-]{1,63}\.){0,8}[A-Za-z]{2,24}(?![\w@])"
)
_HOMES = re.compile(
    r"(?<![\w.~-])(?:/(?:p|data|mnt|nfs|net|export|gpfs|lustre|cluster|scratch))?/(?:home|Users)/[^/\s\"'`:,;()<>\[\]{}|&?#]+"
    r"|(?<![\w.~/-])/root(?![\w.-])"
    r"|\b[A-Za-z]:\\{1,2}Users\\{1,2}[^\\/\s\"'`:,;()<>|]+"
)
_ASSIGNED = re.compile(
    r"(?<![\w.+-])(?P<key>[\w.+-]*(?i:token|secrets?|passwords?|passwd|credentials?|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|secret[_-]?key))(?P<gap>\\?[\"'`]?[ \t]*[:=][ \t]*)"
    r"(?P<value>\\?\"(?:[^\"\\\n]|\\(?!\").)*\\?\"|'[^'\n]*'|[^\s,;\"'}\])]+)"
)
_HARMLESS = re.compile(
    r"(?i)(?:null|none|true|false|~|\?\?\?|nan|[|>][+-]?|\$\{.*|\$[A-Z_]+|<.*|\[\]?|\{\}?|os\.environ.*|"
    + MASK
    + r".*)?"
)


def is_secret_key(key: str) -> bool:
    """Whether a setting of this dotted name holds a secret: by the last word of its name, or what it lies in."""
    *outer, last = key.split(".")
    if any((words := _words(part)) and words[-1] in _CONTAINERS for part in outer):
        return True
    words = _words(last)
    if not words:
        return False
    if words[-1] == "token":
        return len(words) == 1 or words[-2] not in _MODEL_TOKENS
    return words[-1] in _SECRET_WORDS or tuple(words[-2:]) in _SECRET_PAIRS


def is_harmless(value: str) -> bool:
    """Whether the value of a secret's setting gives nothing away: empty, a placeholder, an interpolation, masked."""
    return _HARMLESS.fullmatch(value.strip().strip("\"'\\").strip()) is not None


def is_clean(text: str) -> bool:
    """Whether nothing in a text can need masking; may be False for a text in which nothing does."""
    return _LIKELY.search(text) is None


def mask_text(text: str, *, settings: bool = False) -> str:
    """The text with secrets, e-mail addresses and home folders masked.

    Args:
        text: Any text of a run.
        settings: True for text of a configuration, where whatever is assigned to a secret's name is hidden; in
            prose and logs only what looks like one.
    """
    if is_clean(text):
        return text
    text = _PEM.sub(lambda match: MASK + "\n" * match.group().count("\n"), text)
    text = _SHAPES.sub(MASK, text)
    text = _BEARER.sub(rf"\1 {MASK}", text)
    text = _ASSIGNED.sub(_hidden_setting if settings else _hidden_assignment, text)
    text = _URL_LOGIN.sub(MASK, text)
    text = _URL_QUERY.sub(rf"\1{MASK}", text)
    text = _EMAIL.sub(MASK, text)
    return _HOMES.sub(HOME, text)


def mask_settings_text(text: str) -> str:
    """A configuration file as given, masked: also values of several words, and on the lines below a secret's name."""
    if is_clean(text):
        return text
    lines = text.split("\n")
    depth: int | None = None  # column of the secret's name whose value may go on
    for index, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if depth is not None and line.strip():
            if indent > depth or (indent == depth and line.lstrip().startswith("- ")):
                lines[index] = _hidden_line(line)
                continue
            depth = None
        match = _PAIR.match(line)
        if match is not None and is_secret_key(match["key"]):
            depth = len(match["lead"])
            value = match["value"]
            if value and value not in {"[", "{"} and not is_harmless(value):
                lines[index] = f"{match['name']}{_quoted(value)}{match['tail']}"
    return mask_text("\n".join(lines), settings=True)


_PAIR = re.compile(
    r"(?P<name>(?P<lead>\s*(?:- +)*)[\"']?(?P<key>[\w.-]+)[\"']?[ \t]*:(?:[ \t]+|$))"
    r"(?P<value>(?:[^#\s]|(?<=\S)#|[ \t]+(?![#\s,]|$))*?)(?P<tail>,?[ \t\r]*(?:[ \t]#.*)?)$"
)
_LINE = re.compile(r"(\s*(?:-\s+)?(?:[\"']?[\w.-]+[\"']?\s*:(?:\s+|$))?)(.*?)([,\]}\s]*)$")


def _hidden_line(line: str) -> str:
    match = _LINE.match(line)
    if match is None or is_harmless(match[2]):
        return line
    return f"{match[1]}{MASK}{match[3]}"


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _hidden_setting(match: re.Match[str]) -> str:
    if not is_secret_key(match["key"].lstrip("+")) or is_harmless(match["value"]):
        return match.group()
    return match["key"] + match["gap"] + _quoted(match["value"])


def _hidden_assignment(match: re.Match[str]) -> str:
    """In prose `token: 512` is a count and `password: required` a remark; a secret is long and mixed."""
    bare = match["value"].strip("\"'\\`*_")
    mixed = re.search(r"\d", bare) and re.search(r"[A-Za-z]", bare)
    if len(bare) < 8 or not (mixed or len(bare) >= 20) or "/" in bare[:1]:
        return match.group()
    return _hidden_setting(match)


def _quoted(value: str) -> str:
    quote = re.match(r"\\?[\"']", value)
    return f"{quote.group()}{MASK}{quote.group()}" if quote and value.endswith(quote.group()[-1]) else MASK
