"""DMN files for tests, built from the parts that matter to each."""

from collections.abc import Callable, Sequence
from xml.sax.saxutils import escape, quoteattr

import pytest

DMN_1_3 = "https://www.omg.org/spec/DMN/20191111/MODEL/"

Cells = Sequence[str]
Row = tuple[Cells, Cells]


class TableText:
    """Writes DMN texts; every part has an id from its position."""

    def table(
        self,
        rows: Sequence[Row],
        *,
        inputs: Sequence[str] = ("x",),
        outputs: Sequence[str] = ("y",),
        hit_policy: str | None = None,
        aggregation: str | None = None,
        key: str = "pick",
        input_types: Sequence[str] = (),
        extra: str = "",
    ) -> str:
        attributes = "".join(
            f" {name}={quoteattr(value)}"
            for name, value in (("hitPolicy", hit_policy), ("aggregation", aggregation))
            if value is not None
        )
        parts = [f'<decision id="{key}" name="Pick {key}">{extra}']
        parts.append(f'<decisionTable id="{key}_table"{attributes}>')
        for number, text in enumerate(inputs, start=1):
            kind = input_types[number - 1] if input_types else ""
            type_ref = f' typeRef="{kind}"' if kind else ""
            parts.append(
                f'<input id="in{number}" label="Input {number}">'
                f'<inputExpression id="inx{number}"{type_ref}>'
                f"<text>{escape(text)}</text></inputExpression></input>"
            )
        for number, name in enumerate(outputs, start=1):
            parts.append(f'<output id="out{number}" name="{name}"/>')
        for number, (tests, results) in enumerate(rows, start=1):
            parts.append(f'<rule id="r{number}">')
            for tag, cells in (("inputEntry", tests), ("outputEntry", results)):
                parts.extend(
                    f'<{tag} id="{tag}{number}_{column}">'
                    f"<text>{escape(cell)}</text></{tag}>"
                    for column, cell in enumerate(cells, start=1)
                )
            parts.append("</rule>")
        parts.append("</decisionTable></decision>")
        return "".join(parts)

    def file(self, *decisions: str, namespace: str = DMN_1_3) -> bytes:
        return (
            '<?xml version="1.0" encoding="UTF-8"?>'
            f'<definitions xmlns="{namespace}" id="defs" name="Defs" '
            f'namespace="http://example.test/dmn">{"".join(decisions)}</definitions>'
        ).encode()


@pytest.fixture
def dmn() -> TableText:
    return TableText()


@pytest.fixture
def one_table(dmn: TableText) -> Callable[..., bytes]:
    """The bytes of a file with one table."""

    def build(rows: Sequence[Row], **options: object) -> bytes:
        return dmn.file(dmn.table(rows, **options))  # type: ignore[arg-type]

    return build
