"""The headings of tables, and the words of their totals, in four languages."""

from __future__ import annotations

from mpms.factory.domain.order_mail.fields import by_folded_word

_WORDS: dict[str, dict[str, str]] = {
    "code": {
        "en": "Code",
        "es": "Código",
        "de": "Artikel, Artikelnummer",
        "tr": "Kod, Malzeme kodu",
    },
    "material": {
        "en": "Material, Name, Description",
        "es": "Materia prima, Descripción",
        "de": "Rohstoff, Bezeichnung",
        "tr": "Malzeme, Hammadde",
    },
    "quantity": {
        "en": "Quantity, Qty, Amount",
        "es": "Cantidad",
        "de": "Menge",
        "tr": "Miktar",
    },
    "unit": {"en": "Unit, UoM", "es": "Unidad", "de": "Einheit", "tr": "Birim"},
    "lot": {"en": "Lot", "es": "Lote", "de": "Charge", "tr": "Parti"},
}
# What buyers write as well. These count only where no heading above stands for the
# same: beside ``Material`` a column ``Item`` may be a position.
_MORE_WORDS: dict[str, dict[str, str]] = {
    "code": {
        "en": (
            "Item no, Item number, Item code, Article, Article no, Article number,"
            " Part no, Part number, SKU, Material no, Material number, Material code,"
            " Product code, Product no, Ref, Reference, RM code, Raw material code"
        ),
        "es": (
            "Cód, Cod, Código de artículo, Código artículo, Código material,"
            " Código de material, Código MP, Artículo, Ref, Referencia,"
            " Código de producto, Nº artículo"
        ),
        "de": (
            "Artikel-Nr, Art-Nr, Artikelnr, Materialnummer, Material-Nr,"
            " Materialnr, Mat-Nr, Rohstoffnummer, Rohstoff-Nr, Sachnummer, RM-Nr,"
            " Artikelcode, Materialcode, Rohstoffcode"
        ),
        "tr": (
            "Stok kodu, Ürün kodu, Hammadde kodu, Malzeme no, Malzeme numarası,"
            " Stok no, Parça no, Ürün no, Kodu"
        ),
    },
    "material": {
        "en": (
            "Raw material, Item, Item description, Item name, Material name,"
            " Material description, Product, Product name, Goods, Ingredient,"
            " Substance, Product description, Article description"
        ),
        "es": (
            "Material, Producto, Nombre, Denominación, Concepto, Ingrediente,"
            " Descripción del material, Nombre del material, Artículo, Mercancía"
        ),
        "de": (
            "Rohmaterial, Materialbezeichnung, Artikelbezeichnung, Benennung,"
            " Beschreibung, Produkt, Stoff, Rohstoffbezeichnung, Materialname, Ware,"
            " Warenbezeichnung, Materialien, Rohstoffe"
        ),
        "tr": (
            "Malzeme adı, Hammadde adı, Ürün, Ürün adı, Açıklama, Tanım, Stok adı,"
            " Malzeme tanımı, Cinsi, Malzeme cinsi, Hammaddeler, Malzemeler"
        ),
    },
    "quantity": {
        "en": (
            "Order qty, Order quantity, Ordered, Ordered qty, Ordered quantity,"
            " Qty ordered, Quantity ordered, Qty required, Quantity required,"
            " Required, Required qty, Required quantity, Weight, Net weight, Qnty,"
            " Quant, Mass"
        ),
        "es": (
            "Cant, Ctd, Cantidad pedida, Cantidad solicitada, Cantidad requerida, Peso,"
            " Peso neto, Cdad"
        ),
        "de": (
            "Bestellmenge, Auftragsmenge, Sollmenge, Bedarf, Bedarfsmenge, Gewicht,"
            " Nettogewicht, Bestellte Menge, Mng, Liefermenge"
        ),
        "tr": (
            "Sipariş miktarı, İstenen miktar, Ağırlık, Net ağırlık, Mik, Miktarı,"
            " Talep miktarı"
        ),
    },
    "unit": {
        "en": "Units, UM, U/M, Unit of measure, UOM",
        "es": "Ud, Uds, U, UM, U.M., Unidad de medida, Unid, Unidades",
        "de": "ME, Mengeneinheit, Einh, EH, Maßeinheit, Mengen-Einheit",
        "tr": "Br, Ölçü birimi, Ölçü, Brm, Birimi",
    },
    "lot": {
        "en": "Lot no, Lot number, Lot #, Batch no, Batch number, Batch, Wanted lot",
        "es": "Nº lote, Nº de lote, Número de lote, Lote nº, Lote no",
        "de": "Charge-Nr, Chargennummer, Chargen-Nr, Chargennr, Los, Losnummer, Ch-Nr",
        "tr": "Parti no, Parti numarası, Lot no, Lot, Parti nosu",
    },
}
COLUMNS = by_folded_word(_WORDS)
MORE_COLUMNS = by_folded_word(_MORE_WORDS)
_OTHER_WORDS: dict[str, dict[str, str]] = {
    "price": {
        "en": "Price, Unit price, Price/kg, Value, EUR, USD",
        "es": "Precio, Precio unitario, Importe",
        "de": "Preis, Einzelpreis, EP, GP, Gesamtpreis, Betrag",
        "tr": "Fiyat, Birim fiyat, Tutar",
    },
    "total": {
        "en": (
            "Total, Totals, Sum, Subtotal, Sub-total, Grand total, Total weight,"
            " Order total, Total quantity, Total qty, Total amount, Net total,"
            " Total net weight, Carried forward, Total order, Total raw materials,"
            " Total materials"
        ),
        "es": (
            "Suma, Sumas, Suma total, Total general, Total pedido, Total del pedido,"
            " Peso total, Total peso, Suma y sigue, Cantidad total, Total materiales"
        ),
        "de": (
            "Summe, Summen, Gesamt, Gesamtsumme, Zwischensumme, Gesamtmenge,"
            " Gesamtgewicht, Übertrag, Endsumme, Summe gesamt, Summe netto, Insgesamt,"
            " Gesamt netto, Summe Rohstoffe"
        ),
        "tr": (
            "Toplam, Toplamı, Genel toplam, Ara toplam, Toplam miktar, Toplam ağırlık,"
            " Yekün, Sipariş toplamı, Nakli yekün"
        ),
    },
}
_OTHER = by_folded_word(_OTHER_WORDS)
PRICES = frozenset(word for word, (meaning, _) in _OTHER.items() if meaning == "price")
TOTALS = frozenset(word for word, (meaning, _) in _OTHER.items() if meaning == "total")
