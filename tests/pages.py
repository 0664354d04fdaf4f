"""Markdown files: their links, headings and programs."""

import collections
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.S | re.M)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_PAGE = re.compile(r"\b[\w.-]+/[\w./-]*\.md\b")
_RUN = re.compile(r"(?:# )?((?:[A-Z_]+=\S+ )*)python (-m .*|\S+\.py)\n")
_COMMAND = re.compile(r"python -m ((?:tfcore|bench|tests)(?:\.\w+)*)")


def files(*endings):
    """Paths below the root, without what builds and environments make. Hidden folders: only `.github` and `.ci`."""
    made = {os.path.join(ROOT, *path) for path in (("build",), ("dist",), ("bench", "results"), ("tfcore", "include"))}
    found = []
    for folder, subfolders, names in os.walk(ROOT):
        subfolders[:] = [s for s in subfolders if s[0] != "." or s in (".github", ".ci")]
        subfolders[:] = [s for s in subfolders if os.path.join(folder, s) not in made]
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith(endings)]
    return sorted(found)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def prose(text):
    """A page without code."""
    text = re.sub(r"(?:^|(?<=\n\n))(?: {4}.*\n)+", "", _FENCE.sub("", text))
    return re.sub(r"`[^`]*`", "", text)


def anchors(text):
    """The anchors that GitHub makes of a page's headings; equal ones are numbered."""
    counts = collections.Counter()
    found = []
    for heading in re.findall(r"^#+ (.*)$", _FENCE.sub("", text), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found.append(f"{anchor}-{counts[anchor]}" if counts[anchor] else anchor)
        counts[anchor] += 1
    return found


def dead_links(path, text):
    """Links of a page, relative to it, to files or headings that do not exist."""
    dead = []
    for link in _LINK.findall(prose(text)):
        if re.match(r"\w+:", link):
            continue
        target, _, anchor = link.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
        if not os.path.exists(os.path.join(ROOT, file)):
            dead.append(link)
        elif anchor and anchor not in anchors(text if file == path else read(file)):
            dead.append(link)
    return dead


def dead_mentions(path, text):
    """Pages that a file names without a link, by a path from the root, the package or its own folder, and that do not
    exist."""
    homes = ("", "tfcore", os.path.dirname(path))
    named = _PAGE.findall(_LINK.sub("", text) if path.endswith(".md") else text)
    return [p for p in named if not any(os.path.exists(os.path.join(ROOT, home, p)) for home in homes)]


def commands(text):
    """The modules of this tree that a page runs with `python -m`; NAME stands for any."""
    return {name.removesuffix(".NAME") for name in _COMMAND.findall(text)}


def programs(text):
    """[(variables, command, program)]: the Python blocks of a page, which are whole programs, and its bash blocks.

    Such a block may begin with a line like `# VARIABLE=1 python -m tfcore.run ... FILE.py`, which says how to run it:
    variables of the environment, and arguments of python; otherwise a program runs by itself, as `program.py`. A bash
    block is only such a line.
    """
    found = []
    for _, language, program in _FENCE.findall(text):
        if language in ("python", "bash"):
            variables, command = how.groups() if (how := _RUN.match(program)) else ("", "program.py")
            found.append((dict(v.split("=") for v in variables.split()), command.split(), program))
    return found
