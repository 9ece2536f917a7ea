"""Lists, recipes, memory and replies."""

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from mpms.factory.domain.order_mail import (
    CODES,
    Catalogue,
    CatalogueInvalid,
    Outcome,
    RememberedMail,
    Senders,
    SendersInvalid,
    settle,
    write_reply,
)
from mpms.factory.domain.order_mail.outcome import Problem
from mpms.factory.domain.order_mail.reading import (
    read_order_mail,
    read_undecided,
    unreadable,
)
from mpms.factory.domain.order_mail.reasons import LANGUAGES, explain

Build = Callable[..., bytes]
Read = Callable[[bytes], Outcome]
WATER = {"code": "RM-001", "name": "Water", "max_kg": "10", "density_kg_per_l": None}


def recipe(**changes: object) -> dict[str, object]:
    made = {"name": "Wet", "batch": 10, "unit": "l"}
    return {**made, "lines": [{"material": "RM-001", "kg": 1}], **changes}


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        ("not json", "not JSON"),
        ("[]", "object is expected"),
        ("{}", "'materials' must be a list"),
        ({"materials": [5]}, "materials 1 must be an object"),
        ({"materials": [{**WATER, "code": "X"}]}, "no material code"),
        ({"materials": [{**WATER, "name": " "}]}, "'name' must be a text"),
        ({"materials": [{**WATER, "aliases": "x"}]}, "'aliases' must be a list"),
        ({"materials": [{**WATER, "max_kg": "-1"}]}, "'max_kg' must be a number"),
        ({"materials": [{**WATER, "max_kg": "NaN"}]}, "'max_kg' must be a number"),
        ({"materials": [{**WATER, "density_kg_per_l": "x"}]}, "density_kg_per_l"),
        ({"materials": [WATER, WATER]}, "stands for two entries"),
        ({"materials": [WATER], "recipes": [recipe(unit="gal")]}, "'l' or 'kg'"),
        ({"materials": [WATER], "recipes": [recipe(lines=[])]}, "needs lines"),
        ({"materials": [], "recipes": [recipe()]}, "unknown material 'RM-001'"),
    ],
)
def test_a_wrong_catalogue_is_refused_with_its_cause(
    content: object, cause: str
) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    with pytest.raises(CatalogueInvalid, match=cause):
        Catalogue.from_json(text)


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"senders": 5}, "'senders' must be a list"),
        ({"senders": [5]}, "sender 1 must be an object"),
        ({"senders": [{"address": "x"}]}, "e-mail address"),
        ({"senders": [{"address": "a@b", "decimal": "x"}]}, "'decimal' must be"),
        ({"senders": [{"address": "a@b", "may_forward": 1}]}, "true or false"),
        ({"senders": [{"address": "a@b"}, {"address": "A@B"}]}, "listed twice"),
        ({"trusted_authserv_id": None}, "must name the trusted mail host"),
        ({"trusted_authserv_id": 5}, "must be a text"),
        ({"authentication_form": "x"}, "'authserv_id' or 'microsoft365'"),
    ],
)
def test_a_wrong_list_of_senders_is_refused_with_its_cause(
    changes: dict[str, object], cause: str
) -> None:
    good = {"trusted_authserv_id": "mx.example", "senders": [{"address": "a@b"}]}
    assert Senders.from_json(json.dumps(good)).find("A@B") is not None
    with pytest.raises(SendersInvalid, match=cause):
        Senders.from_json(json.dumps({**good, **changes}))


def test_lists_survive_being_written_and_read(
    catalogue: Catalogue, senders: Senders
) -> None:
    assert Catalogue.from_json(catalogue.to_json()) == catalogue
    assert Senders.from_json(senders.to_json()) == senders


def kg_of(outcome: Outcome) -> list[Decimal]:
    assert outcome.order is not None, outcome.reasons
    return [line.kg for line in outcome.order.lines]


def test_a_recipe_is_expanded_to_the_batch(build: Build, read: Read) -> None:
    outcome = read(build("Recipe: MATT WHITE\nBatch: 100 l\n"))
    assert kg_of(outcome) == list(
        map(Decimal, ("41", "0.625", "25", "52", "21", "0.175"))
    )
    assert outcome.order is not None
    assert (outcome.order.recipe, outcome.order.batch) == ("Matt White", "100 l")
    assert outcome.order.product == "Matt White"


def test_a_batch_may_be_given_by_weight_if_the_density_is_known(
    build: Build, read: Read
) -> None:
    by_weight = read(build("Recipe: Matt White\nBatch: 140 kg\n"))
    assert kg_of(by_weight) == kg_of(read(build("Recipe: Matt White\nBatch: 100 l\n")))


def test_a_recipe_may_stand_in_a_file(
    with_file: Build, workbook: Build, read: Read
) -> None:
    as_json = json.dumps({"recipe": "Red Primer", "batch": "1.250 kg"}).encode()
    outcome = read(with_file(as_json, "o.json"))
    assert kg_of(outcome) == list(map(Decimal, ("0.450", "0.239", "0.550")))
    sheet = workbook([["Recipe", "Red Primer"], ["Batch size", "500 kg"]])
    assert kg_of(read(with_file(sheet, "o.xlsx"))) == list(
        map(Decimal, ("180", "95.5", "220"))
    )


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("Recipe: Parrot Green\nBatch: 10 l\n", "unknown_recipe"),
        ("Recipe: Matt White\n", "bad_batch"),
        ("Recipe: Matt White\nBatch: many\n", "bad_batch"),
        ("Recipe: Matt White\nBatch: 10 gal\n", "unknown_unit"),
        ("Recipe: Matt White\nBatch: 0 l\n", "non_positive_amount"),
        ("Recipe: Matt White\nBatch: 0.001 ml\n", "non_positive_amount"),
        ("Recipe: Matt White\nBatch: 1,2,3 l\n", "bad_number"),
        ("Recipe: Matt White\nBatch: 99999 l\n", "amount_out_of_range"),
        ("Recipe: Red Primer\nBatch: 10 l\n", "no_density"),
        ("Recipe: Matt White\nRecipe: Red Primer\nBatch: 1 l\n", "conflicting_field"),
        ("Batch: 10 l\n", "no_lines"),
    ],
)
def test_a_doubtful_recipe_is_refused(
    body: str, code: str, build: Build, read: Read
) -> None:
    assert code in read(build(body)).codes


def test_a_recipe_changes_nothing_where_version_1_finds_lines(
    build: Build, read: Read
) -> None:
    keys = "Recipe: Parrot Green\nRecipe: Matt White\nBatch: x\n"
    outcome = read(build(f"{keys}Materials:\nWater 5 kg\n"))
    assert kg_of(outcome) == [Decimal(5)]
    assert outcome.order is not None
    assert outcome.order.recipe is None


def test_the_same_message_counts_once_for_one_sender(
    build: Build, catalogue: Catalogue, senders: Senders
) -> None:
    memory = RememberedMail()
    first = read_order_mail(build(), catalogue, senders, memory)
    memory.remember(first)
    again = read_order_mail(build(), catalogue, senders, memory)
    assert (first.outcome, again.outcome) == ("accepted", "ignored")
    assert (again.codes, again.reply) == (("duplicate_message",), "none")


def test_a_forged_message_blocks_no_later_one(
    build: Build, catalogue: Catalogue, senders: Senders
) -> None:
    memory = RememberedMail()
    memory.remember(read_order_mail(build(auth_result=""), catalogue, senders, memory))
    assert read_order_mail(build(), catalogue, senders, memory).outcome == "accepted"


def test_a_taken_number_is_reported_beside_other_reasons(
    build: Build, catalogue: Catalogue, senders: Senders
) -> None:
    memory = RememberedMail(numbers={"MO-2026-0901"})
    wrong = read_undecided(build("Materials:\nWater 5 gal\n"), catalogue, senders)
    assert settle(wrong, memory).codes == ("unknown_unit", "duplicate_order_number")
    right = settle(read_undecided(build(), catalogue, senders), memory)
    assert right.codes == ("duplicate_order_number",)
    assert (right.order, right.reply) == (None, "rejection")


def test_a_message_without_an_id_is_never_a_repetition(
    build: Build, catalogue: Catalogue, senders: Senders
) -> None:
    raw = build().replace(b"Message-ID: <one@brightcoat.example.com>\r\n", b"")
    outcome = read_undecided(raw, catalogue, senders)
    assert outcome.message_id is None
    assert settle(outcome, RememberedMail()).outcome == "accepted"


def test_every_reason_has_a_sentence_in_every_language() -> None:
    for code in CODES:
        sentences = [
            explain(Problem(code, detail="X9"), language).sentence
            for language in LANGUAGES
        ]
        assert len(set(sentences)) == len(LANGUAGES)
        assert len({"X9" in sentence for sentence in sentences}) == 1
        assert all("{" not in sentence for sentence in sentences)


def test_a_rejection_names_the_line_and_the_cause(build: Build, read: Read) -> None:
    outcome = read(build("Rohstoffe:\nWasser 5 kg\nGlitzer 4 kg\n"))
    reply = write_reply(outcome)
    assert reply is not None
    assert reply.to == "orders@brightcoat.example.com"
    assert reply.subject == "Auftrag MO-2026-0901 nicht angenommen"
    assert "„Glitzer“ steht nicht in unserem Katalog." in reply.body
    assert "#2 Glitzer 4 kg" in reply.body
    assert dict(reply.headers) == {
        "Auto-Submitted": "auto-replied",
        "In-Reply-To": "<one@brightcoat.example.com>",
        "References": "<one@brightcoat.example.com>",
    }


def test_a_confirmation_repeats_the_order(build: Build, read: Read) -> None:
    body = "Pedido: MO-2026-0901\nEntrega: 1/12/2026\nMateriales:\nAgua 12.5 kg\n"
    reply = write_reply(read(build(body)))
    assert reply is not None
    assert reply.subject == "Pedido MO-2026-0901 aceptado"
    assert "Entrega: 2026-12-01" in reply.body
    assert "- RM-001 Water: 12,5 kg" in reply.body


@pytest.mark.parametrize("language", [*LANGUAGES, "xx"])
def test_an_order_is_confirmed_in_every_language(
    language: str, build: Build, read: Read
) -> None:
    reply = write_reply(replace(read(build()), language=language))
    assert reply is not None
    assert "MO-2026-0901" in reply.subject
    assert "RM-001 Water: 5 kg" in reply.body


def test_nobody_is_answered_where_the_address_may_be_forged(
    build: Build, read: Read
) -> None:
    assert write_reply(read(build(auth_result=""))) is None
    assert write_reply(unreadable()) is None


def test_the_domain_imports_only_the_standard_library_and_itself() -> None:
    package = Path(__file__).resolve().parents[3] / "mpms" / "domain" / "order_mail"
    for module in package.glob("*.py"):
        for line in module.read_text(encoding="utf-8").splitlines():
            if line.startswith(("from mpms", "import mpms")):
                assert line.split()[1].startswith("mpms.domain"), (module.name, line)
