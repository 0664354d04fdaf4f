"""Coverage-guided fuzzing with Atheris (libFuzzer): python -m tests.fuzz.guided TARGET [libFuzzer options]."""

import os
import sys

import atheris

from tests.fuzz.ops import limit_memory

PACKAGES = ["tfcore.framework", "tfcore.client", "tfcore.compiler", "tfcore.ops"]


def main():
    target, options = sys.argv[1], sys.argv[2:]
    with atheris.instrument_imports(include=PACKAGES):
        from tests.fuzz.targets import TARGETS, seeds
    limit_memory()
    corpus = next((o for o in options if not o.startswith("-")), None)
    if corpus is not None and os.path.isdir(corpus) and not os.listdir(corpus):
        for i, seed in enumerate(seeds(target)):
            with open(os.path.join(corpus, f"seed{i}"), "wb") as file:
                file.write(seed)
    atheris.Setup([sys.argv[0], "-timeout=60", "-rss_limit_mb=8192", *options], TARGETS[target])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
