"""The pages about models, with models small enough to read."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from mpms.domain.people.people import Role
from mpms.services.bulk.run import RunBatches
from tests.support.drawings import in_a_row
from tests.support.site import Answer, Browser, Site


class Studio(Site):
    """A plant's models, and who looks at them."""

    def browser(
        self, role: Role | str = Role.ADMIN, language: str = "en", **changes: Any
    ) -> Browser:
        return super().browser(role, language, **changes)

    def page(
        self, path: str, role: Role | str = Role.ADMIN, language: str = "en"
    ) -> str:
        """The newest version, where an address names none."""
        answer = self.browser(role, language).get(path, follow_redirects=True)
        assert answer.status_code == 200, (path, answer.status, answer.text[:500])
        return answer.text

    def model(
        self, name: str = "Load", form: str = "load", step: str = "load"
    ) -> bytes:
        task = f'<userTask id="{step}" name="{name}" camunda:formKey="{form}"/>'
        drawn = {"begin": '<startEvent id="begin"/>', step: task}
        way = f"begin {step} end"
        (xml,) = in_a_row("mixing", way, name="Mix paint", **drawn).values()
        return xml

    def deploy(self, note: str = "", **files: bytes) -> None:
        """Names of files are written with ``__`` for the dot."""
        named = {name.replace("__", "."): content for name, content in files.items()}
        self.deploy_files(named, note=note)

    def work(self) -> None:
        """Do what bulk actions ask, as a worker would."""
        run = RunBatches(self.uow, self.advance)
        while run():
            pass

    def upload(self, *files: tuple[str, bytes], **fields: str) -> Answer:
        return self.browser().post(
            "/models/deploy",
            data={
                **fields,
                "files": [(BytesIO(content), name) for name, content in files],
            },
        )
