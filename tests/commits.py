"""What a commit's subject looks like: "queue: refuse elements of another rank".

    python -m tests.commits FILE

is the hook for commit messages (.pre-commit-config.yaml): it ends with 1 if the message in the file has another form.
"""

import re
import subprocess
import sys

MOST_CHARACTERS = 72
FIRST = "5e0bb023c12533b972a754058594b10773606b86"  # commits before it have subjects of any form
_SUBJECT = re.compile(r"(?:[a-z0-9_./-]+(?:, [a-z0-9_./-]+)*: \S.*|Merge .*|Revert .*)")


def fault(subject):
    """What is wrong with a subject; None if nothing."""
    if len(subject) > MOST_CHARACTERS:
        return f"has {len(subject)} characters, more than {MOST_CHARACTERS}"
    if not _SUBJECT.fullmatch(subject):
        return 'does not begin with the area, as in "queue: refuse elements of another rank"'
    if subject.endswith("."):
        return "ends with a period"
    return None


def subjects(folder):
    """The subjects of a checkout's commits since FIRST; None where git does not know that commit."""
    command = ["git", "log", "--format=%s", f"{FIRST}..HEAD"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.splitlines() if done.returncode == 0 else None


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as message:
        subject = message.readline().rstrip("\n")
    if wrong := fault(subject):
        sys.exit(f"The subject {subject!r} {wrong}.")
