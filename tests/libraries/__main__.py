"""Runs libraries on tfcore and writes docs/libraries.md: python -m tests.libraries"""

import argparse
import os
import sys

from tests.libraries import environment, page
from tests.libraries.libraries import LIBRARIES


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.libraries", description=__doc__)
    parser.add_argument(
        "--only", help="a name, or a name and a version: keras==2.3.1; the others keep what came of them"
    )
    parser.add_argument("--folder", default=os.path.join(environment.ROOT, "build", "libraries"))
    parser.add_argument("--repositories", default="https://github.com", help="where git finds OWNER/NAME")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    for library in LIBRARIES:
        if arguments.only in (None, library.name, f"{library.name}=={library.version}"):
            print(f"{library.name} {library.version}", flush=True)
            python = environment.make(library, arguments.folder)
            outcome = environment.run(library, python, arguments.folder, arguments.repositories)
            environment.keep(library, outcome, arguments.folder)
    outcomes = [(library, environment.kept(library, arguments.folder)) for library in LIBRARIES]
    missing = [f"{library.name} {library.version}" for library, outcome in outcomes if outcome is None]
    if missing:
        print(f"The page is not written: {', '.join(missing)} did not run yet")
        return 1
    with open(os.path.join(environment.ROOT, "docs", "libraries.md"), "w") as file:
        file.write(page.page(outcomes))
    return int(any("" in outcome.failed for _, outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
