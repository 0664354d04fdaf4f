"""Lists of hosts and of numbers of tasks, as Slurm writes them into environment variables."""

import re


def expand_hostlist(text):
    """The names in a list of Slurm's: "n[1-2],m5" means n1, n2 and m5.

    Raises:
      ValueError: It is not such a list.
    """
    parts = re.findall(r"(?:[^,\[\]]|\[[^\[\]]*\])+", text)
    hosts = []
    for part in parts:
        match = re.fullmatch(r"([^\[\]]*)(?:\[([\d,-]+)\])?", part)
        if match is None or ",".join(parts) != text:
            raise ValueError(f'Invalid hostlist format "{text}": Invalid part: {part}')
        prefix, ranges = match.groups()
        for item in (ranges or "").split(","):
            first, _, last = item.partition("-")
            if not item:
                hosts.append(prefix)
            elif first.isdigit() and (last or first).isdigit() and int(first) <= int(last or first):
                hosts += [prefix + str(i).zfill(len(first)) for i in range(int(first), int(last or first) + 1)]
            else:
                raise ValueError(f'Invalid hostlist format "{text}": Invalid part: {part}')
    return hosts


def tasks_per_node(text):
    """The numbers of tasks by node that Slurm writes as "3(x2),1", which means 3, 3 and 1.

    Raises:
      ValueError: It is not such a list.
    """
    counts = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part)
        if match is None:
            raise ValueError(f'Invalid tasks-per-node list format "{text}": Invalid part: {part}')
        counts += [int(match[1])] * int(match[2] or 1)
    return counts
