"""A port of the pages belongs to one server, also before that listens."""

import socket

import pytest

from mpms.server.port import is_free, reserved

HOST = "127.0.0.1"


def test_a_port_is_had_by_one_from_the_moment_it_is_reserved() -> None:
    with reserved(HOST, 0) as port:
        pass
    assert is_free(HOST, port)
    with reserved(HOST, port) as held:
        assert held == port
        assert not is_free(HOST, port)
        with pytest.raises(OSError, match="already in use"), reserved(HOST, port):
            pytest.fail("two have it")
    assert is_free(HOST, port)


def test_a_port_that_another_program_listens_on_is_not_free() -> None:
    with socket.create_server((HOST, 0)) as other:
        assert not is_free(HOST, other.getsockname()[1])
