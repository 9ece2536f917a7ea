"""Which lines of a message are its own: no signature, no quote, no forwarded mail."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

_WROTE = (
    *("wrote:", "escribió:", "schrieb:", "yazdı:", "a écrit :", "a écrit\u00a0:"),
    *("a écrit:", "ha scritto:", "schreef:", "escreveu:", "napisał:", "napisał(a):"),
)
_WHO_WROTE = re.compile(
    r"(?:On|Am|El|Le)\s.*[0-9].*\s(?:wrote|schrieb|escribió)\s[^:]*:", re.IGNORECASE
)
_ORIGINAL = re.compile(
    r"-{2,}\s*(?:Original Message|Ursprüngliche Nachricht|Originalnachricht"
    r"|Original-Nachricht|Mensaje original|Özgün İleti|Orijinal (?:İleti|Mesaj)"
    r"|Message d'origine|Messaggio originale|Oorspronkelijk bericht"
    r"|Mensagem original|Wiadomość oryginalna)"
    r"\s*-{2,}",
    re.IGNORECASE,
)
_FORWARDED = re.compile(
    r"-{5,}\s*(?:Forwarded message|Weitergeleitete Nachricht|Mensaje reenviado"
    r"|(?:İletilen|Yönlendirilen) (?:ileti|mesaj))\s*-{5,}"
    r"|Begin forwarded message:|Anfang der weitergeleiteten (?:Nachricht|E-Mail):"
    r"|-{5,}\s*(?:Message transféré|Messaggio inoltrato|Doorgestuurd bericht"
    r"|Mensagem encaminhada|Wiadomość przekazana)\s*-{5,}"
    r"|Inicio del mensaje reenviado:|İletilen (?:iletinin|mesajın) başlangıcı:",
    re.IGNORECASE,
)
_BOLD_KEY = re.compile(r"\*([^*:]{1,40}):\*(.*)")
_ANSWERED_FROM = re.compile(r"\*?(?:From|Von|De|Kimden|Da|Van|Od)\s?:", re.IGNORECASE)
_ANSWERED_SENT = re.compile(
    r"\*?(?:Sent|Date|Gesendet|Datum|Enviado|Fecha|Gönderildi|Gönderilme|Tarih"
    r"|Envoyé|Inviato|Data|Verzonden|Enviada|Wysłano)\b",
    re.IGNORECASE,
)
_ANSWERED_TO = re.compile(
    r"\*?(?:To|An|Para|Kime|Subject|Betreff|Asunto|Konu|Cc"
    r"|À|A|Aan|Do|Objet|Oggetto|Onderwerp|Assunto|Temat)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class OwnText(Generic[T]):
    """A text's own lines, and what it forwards (None if it forwards nothing)."""

    own: tuple[T, ...]
    forwarded: tuple[T, ...] | None = None


def unflow(text: str, delete_space: bool = False) -> str:
    """Undo ``format=flowed``: join soft-broken lines, remove the stuffed space."""
    done: list[str] = []
    open_depth: int | None = None
    for line in text.split("\n"):
        content = line.lstrip(">")
        depth = len(line) - len(content)
        content = content.removeprefix(" ")
        flows = content.endswith(" ") and content != "-- "
        if flows and delete_space:
            content = content[:-1]
        if open_depth == depth and content != "-- ":
            done[-1] += content
        else:
            done.append(">" * depth + (" " if depth else "") + content)
        open_depth = depth if flows else None
    return "\n".join(done)


def is_forward_mark(line: str) -> bool:
    return _FORWARDED.fullmatch(line.strip()) is not None


def own_text(items: Sequence[T], *, rendered: bool = False) -> OwnText[T]:
    """Cut off signature and quote, then split at the forward mark.

    Items that are no lines (tables) stay where they stand. In text rendered from HTML
    the blank at the end of the signature line is gone.
    """
    end = len(items)
    for number, item in enumerate(items):
        if isinstance(item, str) and _ends_own_text(item, rendered):
            end = number
            break
    for number, item in enumerate(items[:end]):
        if isinstance(item, str) and is_forward_mark(item):
            return OwnText(
                tuple(items[:number]), _without_mail_headers(items[number + 1 : end])
            )
    for number in range(end):
        if _heads_another_mail(items, number) and not all(
            map(_is_blank, items[:number])
        ):
            below = _without_mail_headers(items[number:end])
            return OwnText(tuple(items[:number]), below)
    return OwnText(tuple(items[:end]))


def _heads_another_mail(items: Sequence[T], at: int) -> bool:
    """Header lines as Outlook writes them above the mail that it answers or forwards.

    Such a mail is an older one: what stands above it counts, as with a forwarded one.
    """
    lines = [item if isinstance(item, str) else "" for item in items[at : at + 7]]
    return begins_an_answered_mail(lines, 0) and any(
        _ANSWERED_TO.match(line.strip()) for line in lines[2:]
    )


def _ends_own_text(line: str, rendered: bool) -> bool:
    if line == "-- " or (rendered and line.strip() == "--"):
        return True
    stripped = line.strip()
    return (
        line.startswith(">")
        or stripped.endswith(_WROTE)
        or _WHO_WROTE.fullmatch(stripped[:300]) is not None
        or _ORIGINAL.fullmatch(stripped) is not None
    )


def _without_mail_headers(items: Sequence[T]) -> tuple[T, ...]:
    """Drop a forwarded message's header lines, which end at a blank line."""
    start = 0
    while start < len(items) and _is_blank(items[start]):
        start += 1
    while start < len(items):
        item = items[start]
        if not isinstance(item, str) or not item.strip():
            break
        start += 1
    return tuple(items[start:])


def _is_blank(item: object) -> bool:
    return isinstance(item, str) and not item.strip()


def without_bold(line: str) -> str:
    """``*Order:* MO-…``, as Gmail writes a bold key into plain text."""
    bold = _BOLD_KEY.fullmatch(line.strip())
    return f"{bold[1]}:{bold[2]}" if bold else line


def begins_an_answered_mail(lines: Sequence[str], at: int) -> bool:
    """Outlook's header lines above the mail that is answered."""
    return _ANSWERED_FROM.match(lines[at].strip()) is not None and any(
        _ANSWERED_SENT.match(line.strip()) for line in lines[at + 1 : at + 4]
    )
