"""Prints how many wrong calls end as in TensorFlow, and the others: python -m tests.wrong_calls [--update] [NAME ...]

--update  rewrites differences.txt; without names only
--causes  counts the others by damage and outcomes instead of listing them
"""

import argparse
import collections

import tfcore as tf
from tests.wrong_calls import compare


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--causes", action="store_true")
    options = parser.parse_args()
    names = [name for name in options.names or compare.RECORD if compare.exists(tf, name)]
    differences = {name: compare.compare(tf, name) for name in names}
    for name, found in differences.items():
        if found and not options.causes:
            print(name)
        for case, (theirs, ours) in found.items() if not options.causes else ():
            print(f"    {case}: {theirs} -> {ours}")
    if options.causes:
        print_causes(differences)
    cases, same, same_or_more = compare.rates(differences)
    missing = sorted(set(compare.RECORD) - set(names)) if not options.names else []
    print(f"{cases} cases of {len(names)} functions: {same:.2%} as in TensorFlow, {same_or_more:.2%} or do more")
    print(f"{len(missing)} functions do not exist yet: {' '.join(missing)}")
    if options.update and not options.names:
        compare.write_list(differences)


def print_causes(differences):
    count = collections.Counter()
    for found in differences.values():
        count.update((case.rsplit(": ", 1)[-1], *outcomes) for case, outcomes in found.items())
    for (damage, theirs, ours), times in count.most_common():
        print(f"{times:4} {damage}: {theirs} -> {ours}")


if __name__ == "__main__":
    main()
