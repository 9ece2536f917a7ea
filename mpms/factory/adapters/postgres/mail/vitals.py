"""How mail stands, for the pages of administrators."""

from __future__ import annotations

from collections.abc import Sequence

from mpms.adapters.postgres.database.statements import Repository
from mpms.factory.ports.mail.vitals import MailFacts, MailRead, UnsentReply


class MailVitals(Repository):
    """Facts that no table holds by itself."""

    def mail(self) -> MailFacts:
        return MailFacts(
            *(self._statements.row("mail_vitals_now") or (None, 0, 0, None))
        )

    def replies(self, limit: int) -> Sequence[UnsentReply]:
        rows = self._statements.rows("mail_vitals_replies", limit=limit)
        return [UnsentReply(*row) for row in rows]

    def mails(self, limit: int) -> Sequence[MailRead]:
        rows = self._statements.rows("mail_vitals_mails", limit=limit)
        return [MailRead(*row) for row in rows]
