"""A network of tap devices: python wire.py DELAY_MS DEVICE...

Makes the devices, says "ready", and carries each frame to the device whose address it has, after the delay. For kernels
that have no netem. Imports nothing but Python's library.
"""

import collections
import fcntl
import os
import select
import struct
import sys
import time

TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 2, 0x1000
FRAME = 1 << 16
MANY = 64  # frames of a device before the next has its turn


def open_tap(name):
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    return fd


def frames(fd):
    for _ in range(MANY):
        try:
            yield os.read(fd, FRAME)
        except OSError:  # no more; or the device is down
            return


def carry(fds, delay):
    where = {}  # address -> device
    waiting = collections.deque()  # (when, frame, devices): the delay is the same for all
    while True:
        until_next = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        ready, _, _ = select.select(fds, [], [], until_next)
        for fd in ready:
            for frame in frames(fd):
                where[frame[6:12]] = fd
                to = where.get(frame[:6])
                targets = [to] if to is not None else [other for other in fds if other != fd]
                waiting.append((time.monotonic() + delay, frame, targets))
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            _, frame, targets = waiting.popleft()
            for to in targets:
                try:
                    os.write(to, frame)
                except OSError:  # down, or full: networks lose frames
                    pass


def main(delay_ms, *devices):
    fds = [open_tap(name) for name in devices]
    print("ready", flush=True)
    carry(fds, float(delay_ms) * 1e-3)


if __name__ == "__main__":
    main(*sys.argv[1:])
