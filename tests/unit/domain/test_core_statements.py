"""SQL of the core: what import contracts cannot see."""

import re
from pathlib import Path

QUERIES = Path(__file__).resolve().parents[3] / "db" / "queries"
OF_THE_FACTORY = re.compile(
    r"\b(?:FROM|JOIN|INTO|UPDATE)\s+"
    r"(orders|order_\w+|goals|robots|robot_\w+|robots_out|mails|mail_pieces|outbox"
    r"|catalogue_versions|lots|stock|stock_moves|fleet\w*)\b",
    re.I,
)


def test_the_core_reads_no_table_of_the_factory() -> None:
    files = sorted(QUERIES.glob("*.sql"))
    found = {path.name: OF_THE_FACTORY.findall(path.read_text()) for path in files}
    assert {name: tables for name, tables in found.items() if tables} == {}
    assert len(files) > 30
    of_the_factory = (QUERIES / "factory").glob("*.sql")
    assert any(OF_THE_FACTORY.search(path.read_text()) for path in of_the_factory)
