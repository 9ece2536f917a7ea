"""Photos and signatures of answers."""

from __future__ import annotations

from mpms.adapters.postgres.database.statements import Repository, Row, is_uuid
from mpms.ports.tasks.attachments import Attachment


class Attachments(Repository):
    """Rows of ``attachments``."""

    def add(self, attachment: Attachment, *, by: str) -> None:
        self._statements.run(
            "attachments_add",
            id=attachment.id,
            instance_id=attachment.instance_id,
            task_id=attachment.task_id,
            field=attachment.field,
            media_type=attachment.media_type,
            content=attachment.content,
            by=by,
        )

    def get(self, attachment_id: str) -> Attachment | None:
        if not is_uuid(attachment_id):
            return None
        row = self._statements.row("attachments_get", id=attachment_id)
        return None if row is None else _attachment(row)


def _attachment(row: Row) -> Attachment:
    ident, instance_id, task_id, field, media_type, content = row
    return Attachment(ident, instance_id, task_id, field, media_type, bytes(content))
