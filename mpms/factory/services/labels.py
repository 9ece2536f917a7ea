"""What to print on labels: lots as stock knows them, places, containers."""

from __future__ import annotations

from collections.abc import Sequence

from mpms.factory.domain.labels import KINDS, Label, LabelRefused
from mpms.factory.domain.worlds import World
from mpms.factory.ports.documents import Documents
from mpms.factory.ports.store import Transaction, UnitOfWork

MOST = 500
LONGEST = 60


def labels_of(
    uow: UnitOfWork, world: World, kind: str, codes: Sequence[str]
) -> list[Label]:
    """Without codes, all places. LabelRefused."""
    if kind not in KINDS:
        raise LabelRefused(f"Labels are for {', '.join(KINDS)}.")
    if kind == "place" and not codes:
        codes = sorted(world.places)
    wanted = [code for code in codes if code.strip()]
    if not wanted:
        raise LabelRefused
    if len(wanted) > MOST or any(len(code) > LONGEST for code in wanted):
        raise LabelRefused(f"At most {MOST} labels of {LONGEST} characters.")
    if kind != "lot":
        names = {place: code for code, place in world.material_places.items()}
        return [Label(kind, code, names.get(code, "")) for code in wanted]
    with uow() as tx:
        return [_lot(tx, code) for code in wanted]


def _lot(tx: Transaction, code: str) -> Label:
    lot = tx.stock.lot(code)
    if lot is not None:
        return Label("lot", code, lot.material, best_before=lot.expires_on)
    for line in tx.genealogy.lots(code, limit=1):
        if line[0] == code:
            return Label("lot", code, line[1])
    return Label("lot", code)


def labels_pdf(documents: Documents, labels: Sequence[Label]) -> bytes:
    """DocumentsMissing, DocumentFailed."""
    files = {
        f"code{number}.svg": documents.code(label.code)
        for number, label in enumerate(labels)
    }
    said = [
        {
            "code": label.code,
            "title": label.title,
            "gs1": label.gs1,
            "picture": f"code{number}.svg",
        }
        for number, label in enumerate(labels)
    ]
    return documents.pdf("labels", {"labels": said}, files)
