"""Why a broker cannot be spoken to: paho says only that it failed.

A broker that wants a certificate of ours lets the connection open and ends it with an
alert, so somebody has to read for a moment.
"""

from __future__ import annotations

import socket
import ssl

from robot_bridge.vda5050.address import VehicleAddress

CONNECT_S = 4.0
ALERT_S = 1.0
AWAY = "the broker does not answer at its address"


def why_refused(at: VehicleAddress) -> str:
    """AWAY, what is wrong with the certificates, or nothing."""
    try:
        with socket.create_connection((at.host, at.port), CONNECT_S) as link:
            context = at.tls()
            if context is None:
                return ""
            with context.wrap_socket(link, server_hostname=at.host) as secured:
                secured.settimeout(ALERT_S)
                secured.recv(1)
    except TimeoutError:
        return ""  # it waits for us to speak
    except ssl.SSLCertVerificationError as cause:
        return f"the certificate of the broker is refused: {cause.verify_message}"
    except ssl.SSLError as cause:
        return f"the broker refuses the encrypted connection: {cause.reason or cause}"
    except OSError:
        return AWAY
    return ""
