"""Why a robot cannot be reached, in words for a person.

Libraries and the operating system describe their own state ("no close frame received or
sent"). Whoever looks after a robot needs to know what to look at; the words of the
libraries go to the log.
"""

from __future__ import annotations

import errno
import socket
import ssl

from websockets.exceptions import ConnectionClosed, InvalidHandshake

LOST = "the connection was lost"
NOT_MADE = "no connection could be made"
MAY_ASK = f"{NOT_MADE}; perhaps its server asks for a certificate of ours"
_UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN)


def words_for(cause: BaseException) -> str:
    """A clause without a full stop, to follow "robot1 does not answer: "."""
    match cause:
        case ConnectionRefusedError():
            return "the connection is refused, nothing listens at its address"
        case ConnectionClosed() | ConnectionResetError() | BrokenPipeError():
            return LOST
        case InvalidHandshake():
            return "its server refuses the connection"
        case socket.gaierror():
            return "the network does not know its address"
        case ssl.SSLCertVerificationError():
            return f"its certificate is not trusted ({cause.verify_message})"
        case ssl.SSLError():
            return "no encrypted connection could be made"
        case TimeoutError():
            return "no answer came in time"
        case OSError() if cause.errno in _UNREACHABLE:
            return "the network does not reach it"
        case OSError() if "refused" in str(cause) or "Connect call" in str(cause):
            # asyncio joins the failures of several addresses of one name.
            return "the connection is refused, nothing listens at its address"
    return NOT_MADE
