"""The IPv4 addresses of hosts: those of this one, and by which a process is reached."""

import fcntl
import os
import socket
import struct

LOOPBACK = "127.0.0.1"
MOST = 8  # of a host that others are told: TFC_TCP_MAX_HOSTS

_SIOCGIFADDR = 0x8915


def own():
    """The addresses of this host that others can reach."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for _, name in socket.if_nameindex():
            try:
                answer = fcntl.ioctl(s.fileno(), _SIOCGIFADDR, struct.pack("16s24x", name.encode()[:15]))
            except OSError:
                continue  # it has no IPv4 address
            address = socket.inet_ntoa(answer[20:24])
            if not address.startswith("127."):
                found.append(address)
    return found


def network():
    """Identifies the processes that share a loopback."""
    with open("/proc/sys/kernel/random/boot_id") as file:
        return f"{file.read().strip()} {os.readlink('/proc/self/ns/net')}"


def of_port(port):
    """What others need, for `hosts`, to find a port at which this process listens at all addresses of its host."""
    return {"port": port, "hosts": own()[:MOST], "network": network()}


def hosts(place):
    """The addresses at which this process finds another one, to be tried in turn: a list.

    place: what `of_port` returned there; or, without `network`, the names or addresses that a person has given.
    """
    return [LOOPBACK] if place.get("network") == network() else place["hosts"]
