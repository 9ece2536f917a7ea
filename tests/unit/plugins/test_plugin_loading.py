"""What a plug-in may add, and how one that cannot be used is named."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mpms import bootstrap
from mpms.cli.plugins import listing
from mpms.domain.jobs import Done, Job, NotYet, Reach
from mpms.domain.settings import SettingInvalid, whole_number
from mpms.log_lines import secrets_of
from mpms.plugins import (
    IncidentKind,
    Kind,
    Page,
    Plugin,
    PluginRefused,
    Setting,
    Topic,
    loading,
)
from mpms.plugins.loading import Installed
from mpms.settings import Settings
from mpms.settings.shown import plugin_settings_shown

JOB = Job(1, "t", "i", None, "step", "a.topic", {"n": 2}, 0, (), "t:0")


def nothing(*given: Any) -> None:
    return None


@pytest.fixture
def strangers() -> Iterator[ModuleType]:
    """A module of somebody else."""
    module = ModuleType("strangers_plugins")
    sys.modules[module.__name__] = module
    yield module
    del sys.modules[module.__name__]


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What is installed is read once a process."""
    loading.installed.cache_clear()
    yield
    loading.installed.cache_clear()


def entries(module: ModuleType, **found: object) -> list[EntryPoint]:
    for name, value in found.items():
        setattr(module, name, value)
    return [
        EntryPoint(name, f"{module.__name__}:{name}", loading.GROUP) for name in found
    ]


def faults(found: tuple[Installed, ...]) -> Mapping[str, str]:
    return {each.entry: each.fault for each in found if each.plugin is None}


def test_a_plug_in_serves_topics_of_every_reach() -> None:
    made = loading.handlers_of(
        [
            Plugin(
                "three",
                topics={
                    "a.pure": Topic(lambda data: {"n": data["n"] + 1}, Reach.PURE),
                    "a.inside": Topic(
                        lambda tx, job: {"n": job.inputs["n"]}, Reach.INSIDE
                    ),
                    "a.outside": Topic(lambda job: {"n": 3}, limit_s=5.0),
                },
            )
        ]
    )
    assert made.pure["a.pure"]({"n": 1}) == {"n": 2}
    assert made.inside["a.inside"](None, JOB) == Done({"n": 2})  # type: ignore[arg-type]
    assert made.outside["a.outside"].function(JOB) == Done({"n": 3})
    assert made.outside["a.outside"].limit_s == 5.0


@pytest.mark.parametrize(
    ("gave", "means"),
    [
        (None, Done()),
        ({"n": 1}, Done({"n": 1})),
        (NotYet(2.0, "the oven is cold"), NotYet(2.0, "the oven is cold")),
    ],
)
def test_a_handler_gives_variables_nothing_or_an_answer(gave: Any, means: Any) -> None:
    made = loading.handlers_of(
        [Plugin("one", topics={"a.topic": Topic(lambda _: gave)})]
    )
    assert made.outside["a.topic"].function(JOB) == means


def test_anything_else_that_a_handler_gives_is_named() -> None:
    made = loading.handlers_of([Plugin("one", topics={"a.topic": Topic(lambda _: 7)})])
    with pytest.raises(TypeError, match="it gave int"):
        made.outside["a.topic"].function(JOB)


def test_a_plug_in_that_cannot_be_loaded_is_named_with_its_cause(
    strangers: ModuleType, tmp_path: Path
) -> None:
    missing = EntryPoint("missing", "no_such_module:plugin", loading.GROUP)
    found = loading.read(
        [
            missing,
            *entries(
                strangers,
                number=7,
                nameless=Plugin(""),
                no_function=Plugin("f", topics={"a": Topic("bake")}),  # type: ignore[arg-type]
                no_time=Plugin("t", topics={"a": Topic(nothing, limit_s=0.0)}),
                no_page=Plugin("p", pages=(Page("pages", "/p", "P"),)),
                no_models=Plugin("m", models=tmp_path / "none"),
                no_texts=Plugin("w", texts=tmp_path / "none"),
                not_asked=Plugin("q", additions={"weather": "q_weather"}),
                no_list=Plugin("l", kinds=(Kind("baked", ("ovens",)),)),
                no_answer=Plugin("a", shown_at={"late": "/late"}),
                our_incident=Plugin("i", incidents=(IncidentKind("stuck", "stuck"),)),
                no_light=Plugin("h", health="bakery"),
            ),
        ]
    )
    assert faults(found) == {
        "missing": "ModuleNotFoundError: No module named 'no_such_module'",
        "number": "strangers_plugins:number is a int and no Plugin",
        "nameless": "'' is no name: small letters, digits and _",
        "no_function": "the work of the topic 'a' is no function",
        "no_time": "the topic 'a' is given 0 s",
        "no_page": "the page 'P' has no address or no module:name",
        "no_models": f"its models are not in {tmp_path / 'none'}",
        "no_texts": f"its texts are not in {tmp_path / 'none'}",
        "not_asked": "it answers 'weather', which nobody asks; asked are: tally,"
        " metrics, queues, late, undecided, pages, things, old, delete",
        "no_list": "its lines 'baked' change ovens; there are: batches, incidents,"
        " instances, tasks",
        "no_answer": "it shows 'late', which it does not answer",
        "our_incident": "MPMS has the kind of incidents 'stuck' already",
        "no_light": "health is 'bakery' and not module:name",
    }


def test_a_name_a_topic_and_a_page_belong_to_one_plug_in(strangers: ModuleType) -> None:
    page = Page("a:b", "/bakery", "Bakery")
    found = loading.read(
        entries(
            strangers,
            a_first=Plugin("bakery", topics={"oven": Topic(nothing)}, pages=(page,)),
            same_name=Plugin("bakery"),
            same_page=Plugin("other", pages=(page,)),
            same_topic=Plugin("third", topics={"oven": Topic(nothing)}),
        )
    )
    assert faults(found) == {
        "same_name": "a_first has the name 'bakery' already",
        "same_page": "a_first has the page '/bakery' already",
        "same_topic": "a_first has the topic 'oven' already",
    }


def installed_are(monkeypatch: pytest.MonkeyPatch, found: list[EntryPoint]) -> None:
    monkeypatch.setattr(loading, "entry_points", lambda *, group: found)


def test_one_that_cannot_be_used_keeps_everything_from_starting(
    strangers: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed_are(
        monkeypatch,
        entries(strangers, good=Plugin("g", topics={"a": Topic(nothing)}), number=7),
    )
    with pytest.raises(PluginRefused, match="The plug-in number of strangers_plugins"):
        loading.loaded()
    assert loading.topics() == {"a"}


def test_a_plug_in_cannot_take_what_the_factory_or_the_core_has(
    strangers: ModuleType,
) -> None:
    found = entries(
        strangers,
        aaa=Plugin("a", topics={"robot.move": Topic(nothing)}),
        factory=Plugin("factory", topics={"robot.move": Topic(nothing)}),
        later=Plugin("later", kinds=(Kind("incident"),)),
    )
    assert faults(loading.read(found)) == {
        "aaa": "factory has the topic 'robot.move' already",
        "later": "MPMS has the kind of history lines 'incident' already",
    }


def oven(**more: Any) -> Plugin:
    return Plugin("bakery", settings={"loaves": Setting("how many fit", **more)})


def test_a_setting_is_read_as_its_plug_in_says_else_its_default_holds(
    strangers: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = entries(strangers, b=oven(default=40, read=whole_number))
    installed_are(monkeypatch, found)
    assert Settings.read({}).plugins == {"bakery": {"loaves": 40}}
    given = Settings.read({"MPMS_BAKERY_LOAVES": "60"})
    assert given.plugins == {"bakery": {"loaves": 60}}
    with pytest.raises(SettingInvalid, match="MPMS_BAKERY_LOAVES is a whole number"):
        Settings.read({"MPMS_BAKERY_LOAVES": "few"})
    with pytest.raises(SettingInvalid, match="MPMS_BAKERY_LOAFS is not a setting"):
        Settings.read({"MPMS_BAKERY_LOAFS": "60"})


def test_settings_of_a_plug_in_that_cannot_be_used_do_not_hide_its_fault(
    strangers: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed_are(monkeypatch, entries(strangers, bakery=7))
    assert Settings.read({"MPMS_BAKERY_LOAVES": "60"}).plugins == {}


def test_a_variable_belongs_to_one(
    strangers: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = oven(variable="MPMS_DATABASE_URL")
    installed_are(monkeypatch, entries(strangers, b=ours))
    with pytest.raises(PluginRefused, match="MPMS_DATABASE_URL, which MPMS has itself"):
        Settings.read({})
    same = Plugin("other", settings={"x": Setting("", variable="MPMS_BAKERY_LOAVES")})
    odd = Plugin("odd", settings={"x": Setting("", variable="PATH")})
    assert faults(loading.read(entries(strangers, b=oven(), c=same, d=odd))) == {
        "c": "b has the setting 'MPMS_BAKERY_LOAVES' already",
        "d": "the setting 'x' has the variable 'PATH'",
    }


def test_a_secret_setting_is_in_no_list_and_in_no_line_of_the_log(
    strangers: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin = Plugin(
        "bakery",
        settings={
            "key": Setting("", secret=True),
            "url": Setting("", address=True),
        },
    )
    installed_are(monkeypatch, entries(strangers, b=plugin))
    env = {
        "MPMS_BAKERY_KEY": "https://hooks.example/oven-77",
        "MPMS_BAKERY_URL": "https://baker:bread-88@oven.example/",
    }
    settings = Settings.read(env)
    assert [s.value for s in plugin_settings_shown(plugin, settings)] == [
        "•••",
        "https://baker:•••@oven.example/",
    ]
    assert secrets_of(settings) == {"https://hooks.example/oven-77", "bread-88"}


def test_models_of_a_plug_in_are_found_by_its_name(
    strangers: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("bread.bpmn", "check.form", "README.md"):
        (tmp_path / name).write_text(name)
    found = entries(
        strangers, full=Plugin("full", models=tmp_path), none=Plugin("none")
    )
    installed_are(monkeypatch, found)
    assert loading.models_of("full") == {
        "bread.bpmn": b"bread.bpmn",
        "check.form": b"check.form",
    }
    with pytest.raises(PluginRefused, match="The plug-in none ships no models"):
        loading.models_of("none")
    with pytest.raises(PluginRefused, match="no plug-in bakery; installed: full, none"):
        loading.models_of("bakery")


def test_the_list_names_what_is_broken_beside_what_is_whole(
    strangers: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    (tmp_path / "bread.bpmn").write_text("")
    installed_are(
        monkeypatch,
        entries(
            strangers,
            number=7,
            oven=Plugin("bakery", models=tmp_path),
            pages=Plugin("pages", pages=(Page("no_such:pages", "/p", "P"),)),
        ),
    )
    assert listing(Settings()) == 1
    said = [line for line in capsys.readouterr().out.splitlines() if line[:1] == " "]
    assert said == [
        "  cannot be used: strangers_plugins:number is a int and no Plugin",
        "  model  bread.bpmn",
        "  cannot be used: The plug-in pages names no_such:pages, which cannot be"
        " loaded: ModuleNotFoundError: No module named 'no_such'",
        "  page   /p  P",
    ]


def test_an_answer_without_its_statement_keeps_everything_from_starting(
    strangers: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = Plugin("odd", additions={"late": "odd_late"})
    installed_are(monkeypatch, entries(strangers, odd=odd))
    with pytest.raises(PluginRefused, match="'late' with the statement odd_late"):
        bootstrap.connect("postgresql://nowhere.invalid/none")
