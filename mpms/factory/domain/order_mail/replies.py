"""What the sender gets back: the order as it was read, or what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from mpms.factory.domain.order_mail.numbers import plain
from mpms.factory.domain.order_mail.outcome import OrderDraft, Outcome
from mpms.factory.domain.order_mail.reasons import LANGUAGES


@dataclass(frozen=True)
class Reply:
    """A plain-text answer; ``headers`` mark it as automatic and tie it to its cause."""

    to: str
    subject: str
    body: str
    headers: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Words:
    accepted: str
    rejected: str
    rejected_unnumbered: str
    thanks: str
    sorry: str
    again: str
    product: str
    due: str
    priority: str
    recipe: str
    lot: str
    materials: str
    follow: str
    automatic: str
    decimal: str
    priorities: tuple[str, str, str, str]


_PRIORITIES = ("low", "normal", "high", "urgent")
_WORDS = {
    "en": _Words(
        accepted="Order {number} accepted",
        rejected="Order {number} not accepted",
        rejected_unnumbered="Your order was not accepted",
        thanks="Thank you. We have accepted your order {number} as follows.",
        sorry="We could not accept your message. Nothing has been ordered.",
        again="Please correct this and send the whole order again as a new message.",
        product="Product",
        due="Due",
        priority="Priority",
        recipe="Recipe",
        lot="lot",
        materials="Materials",
        follow="Follow your order here",
        automatic="This message was written automatically.",
        decimal=".",
        priorities=("low", "normal", "high", "urgent"),
    ),
    "es": _Words(
        accepted="Pedido {number} aceptado",
        rejected="Pedido {number} no aceptado",
        rejected_unnumbered="Su pedido no se ha aceptado",
        thanks="Gracias. Hemos aceptado su pedido {number} como sigue.",
        sorry="No hemos podido aceptar su mensaje. No se ha pedido nada.",
        again="Corríjalo y envíe el pedido completo de nuevo en otro mensaje.",
        product="Producto",
        due="Entrega",
        priority="Prioridad",
        recipe="Receta",
        lot="lote",
        materials="Materiales",
        follow="Siga su pedido aquí",
        automatic="Este mensaje se ha escrito automáticamente.",
        decimal=",",
        priorities=("baja", "normal", "alta", "urgente"),
    ),
    "de": _Words(
        accepted="Auftrag {number} angenommen",
        rejected="Auftrag {number} nicht angenommen",
        rejected_unnumbered="Ihr Auftrag wurde nicht angenommen",
        thanks="Vielen Dank. Wir haben Ihren Auftrag {number} so angenommen:",
        sorry="Wir konnten Ihre Nachricht nicht annehmen. Es wurde nichts bestellt.",
        again="Bitte berichtigen Sie das und senden Sie den ganzen Auftrag neu.",
        product="Produkt",
        due="Termin",
        priority="Priorität",
        recipe="Rezept",
        lot="Charge",
        materials="Rohstoffe",
        follow="Hier sehen Sie den Stand Ihres Auftrags",
        automatic="Diese Nachricht wurde automatisch geschrieben.",
        decimal=",",
        priorities=("niedrig", "normal", "hoch", "dringend"),
    ),
    "tr": _Words(
        accepted="{number} numaralı sipariş kabul edildi",
        rejected="{number} numaralı sipariş kabul edilmedi",
        rejected_unnumbered="Siparişiniz kabul edilmedi",
        thanks="Teşekkürler. {number} numaralı siparişinizi şöyle kabul ettik.",
        sorry="İletinizi kabul edemedik. Hiçbir şey sipariş edilmedi.",
        again="Lütfen düzeltin ve siparişin tamamını yeni bir iletiyle gönderin.",
        product="Ürün",
        due="Teslim tarihi",
        priority="Öncelik",
        recipe="Reçete",
        lot="parti",
        materials="Malzemeler",
        follow="Siparişinizi buradan izleyin",
        automatic="Bu ileti otomatik olarak yazıldı.",
        decimal=",",
        priorities=("düşük", "normal", "yüksek", "acil"),
    ),
}


def write_reply(outcome: Outcome, follow_url: str = "") -> Reply | None:
    """The answer to send; None where nobody must be answered. ``follow_url``: where
    the customer sees how far the order is."""
    if outcome.reply == "none" or outcome.sender is None:
        return None
    language = outcome.language if outcome.language in LANGUAGES else "en"
    words = _WORDS[language]
    if outcome.order is not None:
        subject = words.accepted.format(number=outcome.order.number)
        body = _confirmation(outcome.order, words, follow_url)
    else:
        subject = words.rejected_unnumbered
        if outcome.number:
            subject = words.rejected.format(number=outcome.number)
        body = _rejection(outcome, words)
    headers = [("Auto-Submitted", "auto-replied")]
    if outcome.message_id:
        headers += [
            ("In-Reply-To", outcome.message_id),
            ("References", outcome.message_id),
        ]
    return Reply(outcome.sender, subject, body, tuple(headers))


def _confirmation(order: OrderDraft, words: _Words, follow_url: str) -> str:
    priority = words.priorities[_PRIORITIES.index(order.priority)]
    facts = [
        (words.product, order.product),
        (words.recipe, f"{order.recipe}, {order.batch}" if order.recipe else None),
        (words.due, order.due.isoformat() if order.due else None),
        (words.priority, priority),
    ]
    lines = [f"{name}: {value}" for name, value in facts if value]
    lines += ["", f"{words.materials}:"]
    for line in order.lines:
        lot = f" ({words.lot} {line.lot})" if line.lot else ""
        amount = _amount(line.kg, words.decimal)
        lines.append(f"- {line.material} {line.name}: {amount} kg{lot}")
    if follow_url:
        lines += ["", f"{words.follow}:", follow_url]
    thanks = words.thanks.format(number=order.number)
    return "\n".join([thanks, "", *lines, "", words.automatic, ""])


def _amount(kg: Decimal, decimal_sign: str) -> str:
    """The amount without groups, so that it cannot be misread."""
    return plain(kg).replace(".", decimal_sign)


def _rejection(outcome: Outcome, words: _Words) -> str:
    reasons = []
    for reason in outcome.reasons:
        reasons.append(f"- {reason.sentence}")
        if reason.where:
            reasons.append(f"    {reason.where}")
    return "\n".join(
        [words.sorry, "", *reasons, "", words.again, "", words.automatic, ""]
    )
