"""The door of a task: who gets in, and who does not."""

import contextlib
import socket
import struct
import threading
import time

import pytest

from tests.distributed import PATIENCE
from tfcore.distributed.cluster import door

TOKEN = "secret"


@pytest.fixture
def opened():
    """A door that answers each message with what it got, and a list of the messages."""
    got, made = [], door.Door(TOKEN, "127.0.0.1")

    def serve(connection):
        while True:
            got.append(connection.receive(10 * PATIENCE))
            connection.send({"you said": got[-1]})

    made.open(serve)
    yield made, got
    made.close()


def talk(port, value, token=TOKEN):
    connection = door.knock(["127.0.0.1"], port, token)
    try:
        connection.send(value)
        return connection.receive(10 * PATIENCE)["you said"]
    finally:
        connection.close()


def test_messages_pass_in_both_directions(opened):
    for value in ({}, {"a": [1, None, "ä"]}, "x" * 3_000_000):
        assert talk(opened[0].port, value) == value


def test_a_door_is_found_at_the_first_address_that_answers(opened):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = closed.getsockname()[1]
    with pytest.raises(ConnectionRefusedError):
        door.knock(["127.0.0.1"], nobody, TOKEN)
    door.knock(["127.0.0.2.invalid", "127.0.0.1"], opened[0].port, TOKEN).close()


@pytest.mark.parametrize("token", ["", "Secret", "secret "])
def test_another_token_is_refused(opened, token):
    with pytest.raises(OSError):
        talk(opened[0].port, {"rank": 0}, token)
    assert not opened[1] and talk(opened[0].port, 1) == 1


def test_a_visitor_does_not_tell_its_message_to_one_without_the_token(monkeypatch):
    """The door proves that it knows the token, too."""
    with socket.create_server(("127.0.0.1", 0)) as liar:

        def answer():
            sock, _ = liar.accept()
            with sock:
                sock.sendall(door.MAGIC + bytes(door.NONCE_BYTES))
                heard.append(door._read(sock, len(door.MAGIC) + door.NONCE_BYTES + 32, door.PROVE_S))
                sock.sendall(bytes(32))
                heard.append(sock.recv(1000))

        heard = []
        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(PermissionError, match="does not know the token"):
            door.knock(["127.0.0.1"], liar.getsockname()[1], TOKEN)
        thread.join()
    assert heard[1] == b""


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET / HTTP/1.1\r\n\r\n" * 100,
        door.MAGIC,
        door.MAGIC + bytes(door.NONCE_BYTES) + bytes(32),
        bytes(1 << 16),
    ],
    ids=["nothing", "http", "half", "wrong proof", "zeros"],
)
def test_garbage_is_refused(opened, data):
    with socket.create_connection(("127.0.0.1", opened[0].port)) as sock:
        with contextlib.suppress(OSError):  # the door may have closed the connection by now
            sock.sendall(data)
            sock.shutdown(socket.SHUT_WR)
        sock.settimeout(10 * PATIENCE)
        try:
            while sock.recv(1000):
                pass
        except ConnectionResetError:
            pass
    assert not opened[1] and talk(opened[0].port, 1) == 1


def test_a_recorded_visit_can_not_be_repeated(opened):
    """Each side's challenge is new."""
    said = []

    class Recorder:
        def __init__(self, sock):
            self._sock = sock

        def sendall(self, data):
            said.append(data)
            self._sock.sendall(data)

        def __getattr__(self, name):
            return getattr(self._sock, name)

    with socket.create_connection(("127.0.0.1", opened[0].port)) as sock:
        recorder = Recorder(sock)
        door._prove(recorder, TOKEN, visits=True)
        door.Connection(recorder).send({"rank": 1})
        sock.settimeout(10 * PATIENCE)
        assert sock.recv(1000)
    assert opened[1] == [{"rank": 1}]
    with socket.create_connection(("127.0.0.1", opened[0].port)) as sock:
        sock.sendall(b"".join(said))
        sock.settimeout(10 * PATIENCE)
        try:
            while sock.recv(1000):
                pass
        except ConnectionResetError:
            pass
    assert opened[1] == [{"rank": 1}]


def test_silent_visitors_are_bounded_in_number_and_time(monkeypatch, opened):
    monkeypatch.setattr(door, "PROVE_S", 0.5 * PATIENCE)
    silent = [socket.create_connection(("127.0.0.1", opened[0].port)) for _ in range(100)]
    visitors = [t for t in threading.enumerate() if t.name == "tfcore-visitor"]
    assert len(visitors) <= door.AT_ONCE
    end = time.monotonic() + 20 * PATIENCE
    while time.monotonic() < end:
        try:
            assert talk(opened[0].port, 1) == 1
            break
        except OSError:
            time.sleep(0.05)
    else:
        pytest.fail("nobody gets in any more")
    for sock in silent:
        sock.close()


def test_a_slow_visitor_has_no_more_time_than_a_silent_one(monkeypatch, opened):
    monkeypatch.setattr(door, "PROVE_S", 0.5 * PATIENCE)
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", opened[0].port)) as slow, pytest.raises(OSError):
        for byte in bytes(100):
            slow.send(bytes([byte]))
            time.sleep(0.2 * PATIENCE)
    assert time.monotonic() - began < 4 * PATIENCE


def test_a_message_longer_than_any_is_refused(opened):
    sock = socket.create_connection(("127.0.0.1", opened[0].port))
    with sock:
        door._prove(sock, TOKEN, visits=True)
        sock.sendall(struct.pack("<I", door.LONGEST + 1))
        sock.settimeout(10 * PATIENCE)
        assert sock.recv(10) == b""
    assert not opened[1]
