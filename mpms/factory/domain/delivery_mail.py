"""The mail that tells a customer of a delivery: the page and the code."""

from __future__ import annotations

_SUBJECTS = {
    "en": "Your delivery: {goods}",
    "de": "Ihre Lieferung: {goods}",
    "es": "Su entrega: {goods}",
}
_BODIES = {
    "en": """Hello {customer},

a delivery robot brings you: {goods}.

This page shows when it is there:
{page}

There you confirm with the code {code} that you have your goods. The robot waits
{minutes} minutes.

This message was written automatically.
""",
    "de": """Guten Tag {customer},

ein Lieferroboter bringt Ihnen: {goods}.

Diese Seite zeigt, wann er da ist:
{page}

Dort bestätigen Sie mit dem Code {code}, dass Sie Ihre Ware haben. Der Roboter wartet
{minutes} Minuten.

Diese Nachricht wurde automatisch geschrieben.
""",
    "es": """Hola, {customer}:

un robot de reparto le trae: {goods}.

Esta página muestra cuándo ha llegado:
{page}

Allí confirma con el código {code} que tiene su mercancía. El robot espera
{minutes} minutos.

Este mensaje se ha escrito automáticamente.
""",
}


def write_mail(language: str, **said: object) -> tuple[str, str]:
    """Subject and text, in English where the language is not spoken here. ``said``:
    goods, customer, page, code, minutes."""
    known = language if language in _BODIES else "en"
    goods = " ".join(str(said["goods"]).split())
    subject = _SUBJECTS[known].format(goods=goods[:100])
    return subject, _BODIES[known].format(**said)
