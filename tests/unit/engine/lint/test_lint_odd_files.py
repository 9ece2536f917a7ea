"""Files as other tools write them: none gives a traceback, every finding is true."""

import pytest

from mpms.engine.lint import check

BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"
PLAIN = (
    '<process id="p" isExecutable="true"><startEvent id="s"/>'
    '<sequenceFlow id="f" sourceRef="s" targetRef="e"/><endEvent id="e"/></process>'
)
START = '<startEvent id="s"/>'


def file(body: str, spaces: str = "") -> str:
    head = f'<definitions xmlns="{BPMN}" {spaces} targetNamespace="t">'
    return f"{head}{body}</definitions>"


def within_start(words: str) -> str:
    held = f"<extensionElements>{words}</extensionElements>"
    return file(PLAIN.replace(START, f'<startEvent id="s">{held}</startEvent>'))


def beside(words: str) -> str:
    return file(PLAIN.replace("</process>", f"{words}</process>"))


PREFIXED = PLAIN.replace("<", "<semantic:").replace("<semantic:/", "</semantic:")
RUNS: dict[str, str | bytes] = {
    "byte order mark": b"\xef\xbb\xbf" + file(PLAIN).encode(),
    "UTF-16": ('<?xml version="1.0" encoding="UTF-16"?>' + file(PLAIN)).encode(
        "utf-16"
    ),
    "Latin-1": (
        '<?xml version="1.0" encoding="ISO-8859-1"?>'
        + file(PLAIN.replace('id="s"', 'id="s" name="Größe"', 1))
    ).encode("latin-1"),
    "a prefix": (
        f'<semantic:definitions xmlns:semantic="{BPMN}" targetNamespace="t">'
        f"{PREFIXED}</semantic:definitions>"
    ),
    "two prefixes": (
        f'<a:definitions xmlns:a="{BPMN}" xmlns:b="{BPMN}" targetNamespace="t">'
        '<b:process id="p" isExecutable="true"><a:startEvent id="s"/>'
        '<b:sequenceFlow id="f" sourceRef="s" targetRef="e"/><a:endEvent id="e"/>'
        "</b:process></a:definitions>"
    ),
    "an empty pool": file(
        '<collaboration id="c"><participant id="us" processRef="p"/>'
        '<participant id="them" name="Customer"/>'
        '<messageFlow id="m" sourceRef="them" targetRef="s"/></collaboration>' + PLAIN
    ),
    "data": beside(
        '<dataObject id="d"/><dataObjectReference id="r" dataObjectRef="d"/>'
        '<dataStoreReference id="store"/>'
    ),
    "a lane of nobody": beside(
        '<laneSet id="l"><lane id="a"><flowNodeRef>ghost</flowNodeRef></lane></laneSet>'
    ),
    "a conversation": file(
        '<collaboration id="c"><conversation id="x"/></collaboration>' + PLAIN
    ),
    "Signavio": within_start(
        '<x:signavioMetaData xmlns:x="http://www.signavio.com" metaKey="bgcolor"/>'
    ),
    "Bizagi": within_start(
        '<x:BizagiExtensions xmlns:x="http://www.bizagi.com/bpmn20"/>'
    ),
    "a category": file(
        '<category id="c"><categoryValue id="v"/></category>'
        + PLAIN.replace("</process>", '<group id="g" categoryValueRef="v"/></process>')
    ),
    "a picture beside": file('<process id="q" isExecutable="false"/>' + PLAIN),
    "comments": f"<?xml version='1.0'?><?by x?>{file(PLAIN)}<!-- x -->",
    "an item definition": file('<itemDefinition id="i" structureRef="x"/>' + PLAIN),
}
REFUSED: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", "the file is empty"),
    "blanks": (" \n", "the file is empty"),
    "no XML": ("hello", "not readable XML"),
    "a document type": ("<!DOCTYPE x>" + file(PLAIN), "DOCTYPE"),
    "two in a row": (file(PLAIN) * 2, "not readable XML"),
    "two in one": (f"<all>{file(PLAIN)}</all>", "it begins with the element 'all'"),
    "a wrong encoding": (file(PLAIN).encode("utf-16-le"), "not readable XML"),
    "broken letters": (
        b"<?xml version='1.0' encoding='UTF-8'?>"
        + file(PLAIN.replace('id="s"', 'id="s" name="Größe"', 1)).encode("latin-1"),
        "not readable XML",
    ),
    "no namespace": (f"<definitions>{PLAIN}</definitions>", "not a BPMN 2.0 file"),
    "a choreography": (
        file('<choreography id="c"/>'),
        "elements of the kind 'choreography' are not executed",
    ),
    "a global task": (
        file('<globalUserTask id="g"/>' + PLAIN),
        "elements of the kind 'globalUserTask' are not executed",
    ),
    "a vendor's attribute": (
        file(PLAIN.replace(START, '<startEvent id="s" v:run="x"/>'), 'xmlns:v="urn:v"'),
        "the attribute 'run' of the namespace 'urn:v' is not known",
    ),
    "a vendor's element": (
        within_start('<v:run xmlns:v="urn:v"/>'),
        "the element 'run' of the namespace 'urn:v' is not known",
    ),
    "one id twice": (file(PLAIN.replace('id="e"', 'id="s"')), "is used 2 times"),
    "a flow into a subprocess": (
        file(
            PLAIN.replace(
                "</process>",
                '<subProcess id="x"><task id="t"/></subProcess>'
                '<sequenceFlow id="g" sourceRef="s" targetRef="t"/></process>',
            )
        ),
        "crosses the border of a subprocess",
    ),
    "a border of its own": (
        beside(
            '<boundaryEvent id="b" attachedToRef="b"><timerEventDefinition>'
            "<timeDuration>PT1S</timeDuration></timerEventDefinition></boundaryEvent>"
        ),
        "attached to 'b', which is no activity",
    ),
}


def reasons(content: str | bytes) -> list[str]:
    data = content if isinstance(content, bytes) else content.encode()
    return [problem.reason for problem in check(data).problems]


@pytest.mark.parametrize("name", RUNS)
def test_what_other_tools_add_to_a_drawing_does_not_matter(name: str) -> None:
    assert reasons(RUNS[name]) == []


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_or_executed_is_named(name: str) -> None:
    content, why = REFUSED[name]
    told = reasons(content)
    assert any(why in reason for reason in told), told
    assert not any("cannot be checked" in reason for reason in told)


def test_elements_without_ids_are_named_and_still_there() -> None:
    told = reasons(file('<process id="p"><startEvent/><endEvent/></process>'))
    assert "a startEvent has no id" in told
    assert "an endEvent has no id" in told
    assert not any("no start event" in reason for reason in told)
