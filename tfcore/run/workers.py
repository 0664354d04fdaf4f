"""How many workers a cluster has: the text "8", or "2..8" for one that starts with 2 and has room for 8."""

import re


def parse(text):
    """(how many workers there are at least when the cluster starts, how many it has room for)

    Raises:
      ValueError: it is something else, or the cluster would have no worker.
    """
    found = re.fullmatch(r"(\d{1,9})(?:\.\.(\d{1,9}))?", text)
    least, most = (int(number or found[1]) for number in found.groups()) if found else (0, 0)
    if not 1 <= least <= most:
        raise ValueError(f"there must be at least one worker, as in '8', or in '2..8' with room for more, not {text!r}")
    return least, most
