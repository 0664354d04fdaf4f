"""Writes strings/regex_unicode.h: the categories and scripts of characters, for classes such as \\pL and \\p{Greek}.

python kernels_c/strings/regex_unicode.py

Python has the categories; the package fontTools, which comes with matplotlib, has the scripts.
"""

import os
import sys
import unicodedata

from fontTools import unicodedata as with_scripts

HEADER = """/* The categories and scripts of characters. Written by strings/regex_unicode.py: do not edit.
 * Unicode {categories} (categories), {scripts} (scripts).
 *
 * From the character start >> 8 on, up to the next start, characters have number start & 255: 0 for
 * none, or one more than the place of a name. */
#ifndef TFCORE_STRINGS_REGEX_UNICODE_H
#define TFCORE_STRINGS_REGEX_UNICODE_H

#include <stdint.h>

/* clang-format off */
"""


def starts_of(number_of):
    """The characters at which the number changes, each with its number, as C has them."""
    found, last = [], None
    for rune in range(sys.maxunicode + 1):
        number = number_of(chr(rune))
        if number != last:
            found.append(rune << 8 | number)
            last = number
    return found


def numbers(names):
    """(the names in use, sorted; a function from a character's name to its number)"""
    used = sorted(names)
    places = {name: place + 1 for place, name in enumerate(used)}
    assert len(used) < 256
    return used, lambda name: places.get(name, 0)


def lines_of(items):
    """Rows of at most 100 characters."""
    row = "   "
    for item in items:
        if len(row) + len(item) + 2 > 100:
            yield row
            row = "   "
        row += f" {item},"
    yield row


def table(kind, names, starts):
    """The C arrays of the names and starts of a kind."""
    yield f"static const char* const regex_{kind}[] = {{"
    yield from lines_of(f'"{name}"' for name in names)
    yield "};"
    yield f"static const uint32_t regex_{kind}_starts[] = {{"
    yield from lines_of(f"0x{start:x}" for start in starts)
    yield "};"


def main():
    runes = [chr(rune) for rune in range(sys.maxunicode + 1)]
    categories, category = numbers({unicodedata.category(c) for c in runes} - {"Cn"})  # which RE2 has not either
    codes = {with_scripts.script(c) for c in runes} - {"Zzzz"}
    full_names = {code: with_scripts.script_name(code).replace(" ", "_") for code in codes}
    scripts, script = numbers(full_names.values())
    lines = [
        *table("categories", categories, starts_of(lambda c: category(unicodedata.category(c)))),
        *table("scripts", scripts, starts_of(lambda c: script(full_names.get(with_scripts.script(c))))),
    ]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "strings/regex_unicode.h")
    versions = {"categories": unicodedata.unidata_version, "scripts": scripts_version()}
    with open(path, "w") as file:
        file.write(HEADER.format(**versions) + "\n".join(lines) + "\n/* clang-format on */\n\n")
        file.write("#endif /* TFCORE_STRINGS_REGEX_UNICODE_H */\n")


def scripts_version():
    """The version of Unicode that fontTools has: its source says it."""
    with open(with_scripts.Scripts.__file__, encoding="utf-8") as file:
        return next(line for line in file if line.startswith("# Scripts-"))[len("# Scripts-") :].removesuffix(".txt\n")


if __name__ == "__main__":
    main()
