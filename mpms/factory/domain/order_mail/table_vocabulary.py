"""The headings of tables, and the words of their totals.

The first words are the contract's, in four languages; buyers write more of them, and in
other languages too.
"""

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
        "fr": "Réf, Référence, Code article, Nº article, Code produit, Réf article",
        "it": "Codice, Cod, Codice articolo, Cod articolo, Rif, Riferimento",
        "nl": "Artikelcode, Artikelnr, Artikel nr, Productcode, Grondstofcode",
        "pt": "Código do artigo, Código do material, Cód artigo, Referência, Artigo",
        "pl": "Kod, Indeks, Nr artykułu, Kod materiału, Symbol",
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
        "fr": "Désignation, Matière, Matière première, Libellé, Produit, Article, Nom",
        "it": "Descrizione, Materia prima, Materiale, Prodotto, Articolo",
        "nl": "Omschrijving, Grondstof, Materiaal, Artikelomschrijving, Naam",
        "pt": "Descrição, Matéria-prima, Material, Produto, Designação, Nome",
        "pl": "Nazwa, Surowiec, Materiał, Opis, Nazwa towaru, Towar",
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
        "fr": "Quantité, Qté, Quantité commandée, Qté commandée, Poids, Poids net",
        "it": "Quantità, Qtà, Q.tà, Quantità ordinata, Peso, Peso netto",
        "nl": "Aantal, Hoeveelheid, Bestelde hoeveelheid, Gewicht",
        "pt": "Quantidade, Qtd, Qtde, Quant, Quantidade pedida, Peso",
        "pl": "Ilość, Ilość zamówiona, Waga, Masa",
    },
    "unit": {
        "en": "Units, UM, U/M, Unit of measure, UOM",
        "es": "Ud, Uds, U, UM, U.M., Unidad de medida, Unid, Unidades",
        "de": "ME, Mengeneinheit, Einh, EH, Maßeinheit, Mengen-Einheit",
        "tr": "Br, Ölçü birimi, Ölçü, Brm, Birimi",
        "fr": "Unité, Unités, U, Unité de mesure",
        "it": "UM, U.M., Unità, Unità di misura",
        "nl": "Eenheid, Eenh",
        "pt": "Unidade, Un, Und, Unid",
        "pl": "J.m., Jm, Jednostka, Jedn",
    },
    "lot": {
        "en": "Lot no, Lot number, Lot #, Batch no, Batch number, Batch, Wanted lot",
        "es": "Nº lote, Nº de lote, Número de lote, Lote nº, Lote no",
        "de": "Charge-Nr, Chargennummer, Chargen-Nr, Chargennr, Los, Losnummer, Ch-Nr",
        "tr": "Parti no, Parti numarası, Lot no, Lot, Parti nosu",
        "fr": "Nº de lot, Nº lot, Numéro de lot",
        "it": "Lotto, N. lotto, Numero lotto",
        "nl": "Partij, Partijnummer, Chargenummer",
        "pt": "Nº do lote, Número do lote",
        "pl": "Partia, Nr partii, Seria",
    },
}
# With a unit, and where nothing else names an amount: ``Total (kg)`` beside ``Bags``.
_TOTAL_AMOUNTS: dict[str, dict[str, str]] = {
    "quantity": {
        "en": "Total, Total weight, Total quantity, Total qty, Net total, Sum",
        "es": "Peso total, Cantidad total, Suma",
        "de": "Gesamt, Gesamtmenge, Gesamtgewicht, Summe",
        "tr": "Toplam, Toplam miktar, Toplam ağırlık",
        "fr": "Poids total, Quantité totale",
        "it": "Totale, Peso totale, Quantità totale",
        "nl": "Totaal, Totaalgewicht",
        "pt": "Quantidade total",
        "pl": "Razem",
    },
}
COLUMNS = by_folded_word(_WORDS)
TOTAL_AMOUNTS = by_folded_word(_TOTAL_AMOUNTS)
MORE_COLUMNS = by_folded_word(_MORE_WORDS)
_OTHER_WORDS: dict[str, dict[str, str]] = {
    "price": {
        "en": "Price, Unit price, Price/kg, Value, EUR, USD",
        "es": "Precio, Precio unitario, Importe",
        "de": "Preis, Einzelpreis, EP, GP, Gesamtpreis, Betrag",
        "tr": "Fiyat, Birim fiyat, Tutar",
        "fr": "Prix, Prix unitaire, Montant, PU",
        "it": "Prezzo, Prezzo unitario, Importo",
        "nl": "Prijs, Prijs per kg, Bedrag",
        "pt": "Preço, Preço unitário, Valor",
        "pl": "Cena, Cena jedn, Wartość",
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
        "fr": "Totaux, Somme, Total général, Sous-total, Poids total, Quantité totale",
        "it": "Totale, Totali, Totale generale, Subtotale, Somma, Peso totale",
        "nl": "Totaal, Eindtotaal, Subtotaal, Totaalgewicht, Som",
        "pt": "Total geral, Soma, Quantidade total",
        "pl": "Razem, Suma, Łącznie, Ogółem",
    },
}
_OTHER = by_folded_word(_OTHER_WORDS)
PRICES = frozenset(word for word, (meaning, _) in _OTHER.items() if meaning == "price")
TOTALS = frozenset(word for word, (meaning, _) in _OTHER.items() if meaning == "total")
