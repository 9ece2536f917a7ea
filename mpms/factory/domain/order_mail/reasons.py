"""Every reason in plain words, in the language the sender used for the keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mpms.factory.domain.order_mail.outcome import Problem, Reason

LANGUAGES = ("en", "es", "de", "tr")

# code: English, Spanish, German, Turkish
_SENTENCES: dict[str, tuple[str, str, str, str]] = {
    "too_large": (
        "The message is larger than 25 MiB.",
        "El mensaje supera los 25 MiB.",
        "Die Nachricht ist größer als 25 MiB.",
        "İleti 25 MiB'den büyük.",
    ),
    "auto_submitted": (
        "The message was sent by a program, a list or as a bounce.",
        "El mensaje lo envió un programa o una lista, o es una devolución.",
        "Die Nachricht kam von einem Programm, einer Liste oder als Rückläufer.",
        "İleti bir program ya da liste tarafından gönderilmiş veya geri dönmüş.",
    ),
    "malformed_sender": (
        "The message does not name exactly one sender.",
        "El mensaje no indica exactamente un remitente.",
        "Die Nachricht nennt nicht genau einen Absender.",
        "İletide tam olarak bir gönderen yok.",
    ),
    "sender_not_authenticated": (
        "The sender's address could not be proven.",
        "No se pudo comprobar la dirección del remitente.",
        "Die Adresse des Absenders ließ sich nicht bestätigen.",
        "Gönderenin adresi doğrulanamadı.",
    ),
    "sender_not_allowed": (
        "This address may not place orders. Please ask us to add it.",
        "Esta dirección no puede hacer pedidos. Pídanos que la demos de alta.",
        "Diese Adresse darf nicht bestellen. Bitte lassen Sie sie bei uns eintragen.",
        "Bu adres sipariş veremez. Lütfen eklenmesini isteyin.",
    ),
    "duplicate_message": (
        "This message has been processed before.",
        "Este mensaje ya se procesó antes.",
        "Diese Nachricht wurde schon verarbeitet.",
        "Bu ileti daha önce işlendi.",
    ),
    "unreadable_message": (
        "The message could not be read. Please write it again as plain text.",
        "No se pudo leer el mensaje. Escríbalo de nuevo como texto sin formato.",
        "Die Nachricht war nicht lesbar. Bitte schreiben Sie sie neu als reinen Text.",
        "İleti okunamadı. Lütfen düz metin olarak yeniden yazın.",
    ),
    "multiple_orders": (
        "The message holds more than one order. Please send one message an order.",
        "El mensaje contiene más de un pedido. Envíe un mensaje por pedido.",
        "Die Nachricht enthält mehrere Aufträge. Bitte je Auftrag eine Nachricht.",
        "İletide birden fazla sipariş var. Lütfen her sipariş için bir ileti gönderin.",
    ),
    "unsupported_attachment": (
        "The attachment could not be read. CSV, XLSX and JSON files are accepted.",
        "No se pudo leer el adjunto. Se aceptan archivos CSV, XLSX y JSON.",
        "Der Anhang war nicht lesbar. Möglich sind CSV-, XLSX- und JSON-Dateien.",
        "Ek okunamadı. CSV, XLSX ve JSON dosyaları kabul edilir.",
    ),
    "no_lines": (
        "No material lines were found. They stand below a line “Materials:”.",
        "No hay líneas de material. Van debajo de una línea «Materiales:».",
        "Es gibt keine Materialzeilen. Sie stehen unter einer Zeile „Rohstoffe:“.",
        "Malzeme satırı bulunamadı. “Malzemeler:” satırının altına yazılmalıdır.",
    ),
    "too_many_lines": (
        "An order may have at most {detail} lines.",
        "Un pedido puede tener como máximo {detail} líneas.",
        "Ein Auftrag darf höchstens {detail} Zeilen haben.",
        "Bir siparişte en fazla {detail} satır olabilir.",
    ),
    "forward_not_allowed": (
        "Forwarded orders are not accepted from this address.",
        "No se aceptan pedidos reenviados desde esta dirección.",
        "Weitergeleitete Aufträge werden von dieser Adresse nicht angenommen.",
        "Bu adresten iletilen (yönlendirilen) siparişler kabul edilmez.",
    ),
    "bad_order_number": (
        "“{detail}” is no order number. It looks like MO-2026-0101.",
        "«{detail}» no es un número de pedido. Tiene la forma MO-2026-0101.",
        "„{detail}“ ist keine Auftragsnummer. Sie sieht aus wie MO-2026-0101.",
        "“{detail}” bir sipariş numarası değil. Örnek: MO-2026-0101.",
    ),
    "missing_order_number": (
        "The order number is missing. Please write “Order: MO-2026-0101”.",
        "Falta el número de pedido. Escriba «Pedido: MO-2026-0101».",
        "Die Auftragsnummer fehlt. Bitte schreiben Sie „Auftrag: MO-2026-0101“.",
        "Sipariş numarası eksik. Lütfen “Sipariş no: MO-2026-0101” yazın.",
    ),
    "conflicting_order_number": (
        "The message names different order numbers: {detail}.",
        "El mensaje indica números de pedido distintos: {detail}.",
        "Die Nachricht nennt verschiedene Auftragsnummern: {detail}.",
        "İletide farklı sipariş numaraları var: {detail}.",
    ),
    "duplicate_order_number": (
        "The order {detail} is with us already; e-mail cannot change it.",
        "El pedido {detail} ya está registrado; no se puede cambiar por correo.",
        "Der Auftrag {detail} liegt schon vor und ist per E-Mail nicht änderbar.",
        "{detail} numaralı sipariş zaten kayıtlı; e-posta ile değiştirilemez.",
    ),
    "conflicting_field": (
        "The message gives different values: {detail}.",
        "El mensaje da valores distintos: {detail}.",
        "Die Nachricht nennt verschiedene Werte: {detail}.",
        "İletide farklı değerler var: {detail}.",
    ),
    "bad_field": (
        "“{detail}” is not the kind of value expected here.",
        "«{detail}» no es el tipo de valor esperado aquí.",
        "„{detail}“ ist kein Wert, der hier stehen kann.",
        "“{detail}” burada beklenen türde bir değer değil.",
    ),
    "bad_date": (
        "“{detail}” is no date. Please write it as 2026-11-24 or 24.11.2026.",
        "«{detail}» no es una fecha. Escriba 2026-11-24 o 24/11/2026.",
        "„{detail}“ ist kein Datum. Bitte schreiben Sie 24.11.2026 oder 2026-11-24.",
        "“{detail}” bir tarih değil. Lütfen 24.11.2026 veya 2026-11-24 yazın.",
    ),
    "bad_priority": (
        "“{detail}” is no priority. Use low, normal, high or urgent.",
        "«{detail}» no es una prioridad. Use baja, normal, alta o urgente.",
        "„{detail}“ ist keine Priorität. Möglich: niedrig, normal, hoch, dringend.",
        "“{detail}” bir öncelik değil. Düşük, normal, yüksek veya acil yazın.",
    ),
    "missing_unit": (
        "The unit is missing, for example kg.",
        "Falta la unidad, por ejemplo kg.",
        "Die Einheit fehlt, zum Beispiel kg.",
        "Birim eksik, örneğin kg.",
    ),
    "unknown_unit": (
        "“{detail}” is no unit we know. Use kg, g, t, lb, l or ml.",
        "No conocemos la unidad «{detail}». Use kg, g, t, lb, l o ml.",
        "„{detail}“ ist keine bekannte Einheit. Möglich: kg, g, t, lb, l, ml.",
        "“{detail}” bilinen bir birim değil. kg, g, t, lb, l veya ml kullanın.",
    ),
    "bad_line": (
        "This line could not be understood. Write: material, amount, unit.",
        "No se entiende esta línea. Escriba: material, cantidad, unidad.",
        "Diese Zeile ist nicht verständlich. Schreiben Sie: Material, Menge, Einheit.",
        "Bu satır anlaşılamadı. Şöyle yazın: malzeme, miktar, birim.",
    ),
    "unknown_material": (
        "“{detail}” is not in our catalogue.",
        "«{detail}» no está en nuestro catálogo.",
        "„{detail}“ steht nicht in unserem Katalog.",
        "“{detail}” kataloğumuzda yok.",
    ),
    "ambiguous_number": (
        "“{detail}” can be read in two ways. Please write it without doubt.",
        "«{detail}» se puede leer de dos maneras. Escríbalo sin ambigüedad.",
        "„{detail}“ lässt sich auf zwei Arten lesen. Bitte schreiben Sie es eindeutig.",
        "“{detail}” iki şekilde okunabilir. Lütfen açık bir biçimde yazın.",
    ),
    "bad_number": (
        "“{detail}” is no number.",
        "«{detail}» no es un número.",
        "„{detail}“ ist keine Zahl.",
        "“{detail}” bir sayı değil.",
    ),
    "no_density": (
        "{detail} can only be ordered by weight: its density is not known.",
        "{detail} solo se puede pedir por peso: no consta su densidad.",
        "{detail} ist nur nach Gewicht bestellbar: die Dichte ist nicht bekannt.",
        "{detail} yalnızca ağırlıkla sipariş edilebilir: yoğunluğu bilinmiyor.",
    ),
    "non_positive_amount": (
        "The amount must be above zero: {detail}.",
        "La cantidad debe ser mayor que cero: {detail}.",
        "Die Menge muss größer als null sein: {detail}.",
        "Miktar sıfırdan büyük olmalı: {detail}.",
    ),
    "amount_out_of_range": (
        "The amount is above the limit: {detail}.",
        "La cantidad supera el límite: {detail}.",
        "Die Menge liegt über der Grenze: {detail}.",
        "Miktar sınırın üzerinde: {detail}.",
    ),
    "unknown_recipe": (
        "The recipe “{detail}” is not in our catalogue.",
        "La receta «{detail}» no está en nuestro catálogo.",
        "Das Rezept „{detail}“ steht nicht in unserem Katalog.",
        "“{detail}” reçetesi kataloğumuzda yok.",
    ),
    "bad_batch": (
        "The batch size “{detail}” could not be read. Write “Batch: 500 l”.",
        "No se entiende el tamaño «{detail}». Escriba «Tamaño de lote: 500 l».",
        "Die Ansatzgröße „{detail}“ war nicht lesbar. Beispiel: „Ansatz: 500 l“.",
        "“{detail}” parti büyüklüğü okunamadı. Örnek: “Parti büyüklüğü: 500 l”.",
    ),
}
CODES = tuple(_SENTENCES)


def explain(problem: Problem, language: str) -> Reason:
    """Put a problem into words; an unknown language gets English."""
    column = LANGUAGES.index(language) if language in LANGUAGES else 0
    sentence = _SENTENCES[problem.code][column].replace("{detail}", problem.detail)
    return Reason(problem.code, sentence, problem.where)


def choose_language(used: Iterable[str]) -> str:
    """The language most keys were written in; English where that does not decide."""
    votes = Counter(language for language in used if language in LANGUAGES)
    if not votes:
        return "en"
    best = max(votes.values())
    winners = [language for language in LANGUAGES if votes[language] == best]
    return winners[0] if len(winners) == 1 else "en"
