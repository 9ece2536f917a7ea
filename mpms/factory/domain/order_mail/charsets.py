"""Bytes to text: the declared charset if it fits, else UTF-8, else Windows-1252."""

from __future__ import annotations

import codecs
import re

# Python also knows codecs that compress, execute or take quadratic time.
_ALLOWED = re.compile(
    r"utf-8(-sig)?|utf-16(-[lb]e)?|utf-32(-[lb]e)?|ascii|iso8859-\d+|cp\d+|koi8-[ru]"
    r"|gb2312|gbk|gb18030|big5|shift_jis|euc_jp|euc_kr|iso2022_jp|mac-(roman|turkish)"
)
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_C1 = re.compile(rb"[\x80-\x9f]")


def decode(data: bytes, declared: str | None) -> str:
    """Decode a part's bytes; never fails."""
    for mark, codec in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            declared = codec
    for charset in (_codec(declared), "utf-8"):
        if charset is None:
            continue
        if charset.startswith("iso8859") and _C1.search(data):
            continue  # nobody writes C1 controls: these bytes are another charset's
        try:
            return data.decode(charset)
        except (UnicodeError, LookupError):
            continue
    return data.decode("cp1252", "replace")


def _codec(declared: str | None) -> str | None:
    if not declared or len(declared) > 40:
        return None
    try:
        name = codecs.lookup(declared.strip()).name
    except (LookupError, ValueError, UnicodeError):
        return None
    return name if _ALLOWED.fullmatch(name) else None
