"""What a mail says about a change of somebody's own account."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NoticeMail:
    subject: str
    body: str


WHAT = {
    "en": {
        "password changed": "Your password was changed",
        "PIN changed": "Your PIN was changed",
        "badge changed": "Your badge was changed",
        "mail address changed": "Your mail address was changed",
        "second factor added": "A second factor was added",
        "second factor removed": "A second factor was removed",
    },
    "de": {
        "password changed": "Ihr Passwort wurde geändert",
        "PIN changed": "Ihre PIN wurde geändert",
        "badge changed": "Ihr Ausweis wurde geändert",
        "mail address changed": "Ihre Mailadresse wurde geändert",
        "second factor added": "Ein zweiter Faktor kam hinzu",
        "second factor removed": "Ein zweiter Faktor wurde entfernt",
    },
    "es": {
        "password changed": "Su contraseña ha cambiado",
        "PIN changed": "Su PIN ha cambiado",
        "badge changed": "Su tarjeta ha cambiado",
        "mail address changed": "Su dirección de correo ha cambiado",
        "second factor added": "Se ha añadido un segundo factor",
        "second factor removed": "Se ha quitado un segundo factor",
    },
}
BODY = {
    "en": "Hello {name},\n\n{what}: {at}, by {by}.\n\nIf you do not know of this, tell"
    " an administrator at once and look at where you are signed in:\n{url}\n",
    "de": "Guten Tag {name},\n\n{what}: {at}, durch {by}.\n\nWenn Sie davon nichts"
    " wissen, sagen Sie es sofort einem Administrator und sehen Sie nach, wo Sie"
    " angemeldet sind:\n{url}\n",
    "es": "Hola {name}:\n\n{what}: {at}, por {by}.\n\nSi no sabe nada de esto, avise"
    " enseguida a un administrador y mire dónde tiene sesiones abiertas:\n{url}\n",
}


def write_notice(
    what: str, language: str, *, name: str, at: str, by: str, url: str
) -> NoticeMail:
    spoken = language if language in WHAT else "en"
    words = WHAT[spoken].get(what, what)
    body = BODY[spoken].format(name=name, what=words, at=at, by=by, url=url)
    return NoticeMail(f"MPMS: {words}", body)
