"""What a process really did, by the API: its history as a file, the paths it took."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AwareDatetime, Field
from werkzeug.exceptions import Forbidden

from mpms.domain.history.conformance import Why
from mpms.services.history.conformance import check_conformance
from mpms.services.history.export import export_history
from mpms.services.history.paths import find_paths
from mpms.services.history.variants import find_variants
from mpms.services.history.window import Window
from mpms.services.models.save_draft import DraftUnknown, find_draft
from mpms.services.people.change_secret import known
from mpms.web.api.operation import Call, Given, Shape, Stream
from mpms.web.api.people import Login
from mpms.web.api.processes import USUAL_WINDOW, section
from mpms.web.api.values import Listed, ProcessKey, Version
from mpms.web.rights import ADMINS, READERS

__all__ = ["section"]

XES, JSON = "application/xml", "application/json"
MOST_VARIANTS = 100
FIRST = datetime(2000, 1, 1, tzinfo=UTC)
Instant = Annotated[AwareDatetime, Field(ge=FIRST)]


class WindowQuery(Given):
    since: Instant | None = Field(
        default=None, description="Instances that began from then on; a week ago."
    )
    until: Instant | None = Field(
        default=None, description="And before then; now without it."
    )

    def of(self, call: Call, key: str) -> Window:
        until = self.until or call.desk.clock.now()
        return Window(key, self.since or until - USUAL_WINDOW, until)


class VariantsQuery(WindowQuery):
    limit: Annotated[int, Field(ge=1, le=MOST_VARIANTS)] = 20


class VariantStep(Shape):
    element: str
    name: str


class VariantShape(Shape):
    rank: int
    count: int
    share: float = Field(description="Of the instances that have ended, 0 to 1.")
    median_s: float = Field(description="From the start to the end.")
    steps: list[VariantStep]
    cut: bool = Field(description="It has more steps than 500.")
    example: str = Field(description="An instance that took it.")


class VariantsShape(Listed[VariantShape]):
    variants: int = Field(description="How many there are, with those not listed.")
    ended: int
    running: int = Field(description="Instances that have no path yet.")


@section.get("/processes/{key}/history.xes", READERS, files=(XES,))
def history_xes(call: Call, key: ProcessKey, query: WindowQuery) -> Stream:
    """The history of a process as XES, for tools of process mining.

    A trace is an instance; its events are the activities with start, complete and
    ate_abort, who or which robot did them, and when. At most 50,000 instances, and
    20,000 lines of each; a trace that has more says `cut`.
    """
    return _stream(call, key, query, "xes", XES)


@section.get("/processes/{key}/history.ocel.json", READERS, files=(JSON,))
def history_ocel(call: Call, key: ProcessKey, query: WindowQuery) -> Stream:
    """The history of a process as OCEL 2.0, with orders, lots and robots as objects.

    The limits are those of XES.
    """
    return _stream(call, key, query, "ocel", JSON)


@section.get("/processes/{key}/variants", READERS)
def variants(call: Call, key: ProcessKey, query: VariantsQuery) -> VariantsShape:
    """The paths that instances really took, the most frequent first.

    Of instances that began in the window and have ended, at most 20,000. A path is the
    activities that were completed, in order, with every round of a loop.
    """
    found = find_variants(call.desk.uow, call.desk.engine, query.of(call, key))
    return VariantsShape(
        items=[
            VariantShape(
                rank=rank,
                count=one.count,
                share=one.share,
                median_s=one.median_s,
                steps=[
                    VariantStep(element=each, name=found.names[each])
                    for each in one.elements
                ],
                cut=one.cut,
                example=one.example,
            )
            for rank, one in enumerate(found.ranked[: query.limit], 1)
        ],
        variants=len(found.ranked),
        ended=found.ended,
        running=found.running,
    )


class PathQuery(WindowQuery):
    version: Version | None = Field(default=None, description="The newest without it.")


class ConformanceQuery(PathQuery):
    draft_of: Login | None = Field(
        default=None,
        description="Compare with this draft: your own, or anybody's as administrator.",
    )


class StepShareShape(Shape):
    element: str
    name: str
    instances: int = Field(description="That did it at least once.")
    visits: int
    share: float = Field(description="Of the instances that have ended, 0 to 1.")


class FlowShareShape(Shape):
    flow: str
    source: str
    target: str
    count: int
    share: float = Field(description="Of those that left its source, 0 to 1.")


class PathsShape(Shape):
    version: int
    ended: int
    steps: list[StepShareShape]
    flows: list[FlowShareShape] = Field(
        description="Where there is a choice, as far as the history tells."
    )


class MisfitShape(Shape):
    why: Why
    element: str = Field(description="What came; empty where the path ended.")
    after: str = Field(description="The last that fitted; empty: nothing yet.")
    expected: list[str] = Field(description="What could have come.")
    count: int
    example: str = Field(description="An instance.")


class ConformanceShape(Shape):
    version: int
    ended: int
    fits: int
    misfits: int
    unjudged: int = Field(description="The version has too many ways to try.")
    reasons: list[MisfitShape]


@section.get("/processes/{key}/paths", READERS)
def paths_taken(call: Call, key: ProcessKey, query: PathQuery) -> PathsShape:
    """How many instances came to each step, and which way they went at a choice.

    Of instances that began in the window and have ended, at most 20,000.
    """
    desk = call.desk
    with desk.uow() as tx:
        shown = (
            tx.definitions.latest(key)
            if query.version is None
            else tx.definitions.of_version(key, query.version)
        )
    found = find_paths(desk.uow, desk.engine, query.of(call, key), shown)
    return PathsShape(
        version=shown.version,
        ended=found.ended,
        steps=[
            StepShareShape(
                element=one.step.id,
                name=one.step.title,
                instances=one.instances,
                visits=one.visits,
                share=one.share,
            )
            for one in found.steps
        ],
        flows=[
            FlowShareShape(
                flow=one.id,
                source=one.source,
                target=one.target,
                count=one.count,
                share=one.share,
            )
            for one in found.flows
        ],
    )


@section.get("/processes/{key}/conformance", READERS)
def conformance(
    call: Call, key: ProcessKey, query: ConformanceQuery
) -> ConformanceShape:
    """How many past instances could have gone their way in a version, and why not.

    Only the drawing is compared, not its conditions: a path fits if the version has it.
    With `draft_of` a draft is compared before it is deployed; `version` is then the one
    that it would become.
    """
    desk, window = call.desk, query.of(call, key)
    xml = None if query.draft_of is None else _draft(call, query.draft_of, key)
    found = check_conformance(
        desk.uow, desk.engine, window, version=query.version, xml=xml
    )
    return ConformanceShape(
        version=found.version,
        ended=found.ended,
        fits=found.fits,
        misfits=found.misfits,
        unjudged=found.unjudged,
        reasons=[
            MisfitShape(
                why=one.misfit.why,
                element=one.misfit.element,
                after=one.misfit.after,
                expected=list(one.misfit.expected),
                count=one.count,
                example=one.example,
            )
            for one in found.reasons
        ],
    )


def _draft(call: Call, login: str, key: str) -> bytes:
    """Drafts are a person's, until they are deployed."""
    if login != call.person.login and call.person.role not in ADMINS:
        raise Forbidden("Only administrators read the drafts of others.")
    with call.desk.uow() as tx:
        person = known(tx.people.get(login), login)
    draft = find_draft(call.desk.uow, person.id, "process", key)
    if draft is None:
        raise DraftUnknown
    return draft.content


def _stream(call: Call, key: str, query: WindowQuery, form: str, media: str) -> Stream:
    window = query.of(call, key)
    pieces = export_history(call.desk.uow, call.desk.engine, window, form=form)
    ending = "xes" if form == "xes" else "ocel.json"
    return Stream(pieces, media, f"history.{ending}")
