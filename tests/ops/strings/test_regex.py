"""Regular expressions: RE2's syntax, errors and rewrites; expressions drawn at random against Python's `re`."""

import concurrent.futures
import random
import re
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.records.strings.regex import replace
from tfcore.core.registry import regex
from tfcore.testing.drawing import EFFORT


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensor, feed=None):
    with tf.Session(graph=tensor.graph) as session:
        return session.run(tensor, feed)


def matches(pattern, *texts):
    return run(tf.strings.regex_full_match(list(texts), pattern)).tolist()


def replaced(text, pattern, rewrite, replace_global=True):
    return run(tf.strings.regex_replace(text, pattern, rewrite, replace_global))


# What an expression matches and what it doesn't.
SYNTAX = [
    ("", [""], ["a", "\n"]),
    ("a|b|", ["a", "b", ""], ["ab"]),
    ("a.c", ["abc", "a\u20acc", "a\U0001f600c"], ["a\nc", b"a\xffc", b"a\x80c"]),
    ("(?s)a.c", ["a\nc"], [b"a\xffc"]),
    (r"a\Cc", [b"a\xffc", "a\nc"], ["a\u20acc"]),
    (r"\d\D\s\S\w\W", ["1a b_-", "0\n\t___"[:3] + "x9\u00e9"], ["11 b_-", "1a\vb_-"]),
    (r"[\d\s-]+", ["1 -2"], ["a"]),
    (r"[[:alpha:][:^ascii:]]+", ["ab\u00e9"], ["a1"]),
    (r"[[:space:]]\s", ["\v "], [" \v"]),
    (r"[[:punct:]]+", ["!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"], ["a", " "]),
    (r"[[:cntrl:]]+", ["\x00\x1f\x7f"], [" "]),
    (r"[[:word:]][[:xdigit:]][[:blank:]][[:graph:]][[:print:]]", ["_f\t! "], ["_g\t! ", "_f !\n"]),
    ("[]a]", ["]", "a"], ["b"]),
    ("[^]a]", ["b", "\n", "\u20ac"], ["]", "a"]),
    ("[a-]", ["a", "-"], ["b"]),
    (r"[\x41-C\]]", ["A", "B", "C", "]"], ["D"]),
    ("[\u00e9-\u20ac]", ["\u00e9", "\u0800", "\u20ac"], ["\u00e8", "\u20ad"]),
    ("[^a]", ["\x00", "\U0010ffff"], ["a", b"\xff", "bb"]),
    (r"\x{1f600}\x41\101\0", ["\U0001f600AA\0"], ["A"]),
    (r"\a\f\t\n\r\v\.\_", ["\a\f\t\n\r\v._"], ["x"]),
    (r"\Qa.b\E.", ["a.bx"], ["axbx"]),
    (r"\Q[", ["["], ["\\["]),
    ("a{2}", ["aa"], ["a", "aaa"]),
    ("a{2,}", ["aa", "aaaaa"], ["a"]),
    ("a{0,2}b{1}", ["b", "ab", "aab"], ["aaab", "abb"]),
    ("(a{2,3}){2}", ["a" * 4, "a" * 5, "a" * 6], ["a" * 3, "a" * 7]),
    ("xa{0}", ["x"], ["xa"]),
    ("a{,2}", ["a{,2}"], ["a", "aa"]),
    ("a{1", ["a{1"], ["a"]),
    ("a{02}", ["a{02}"], ["aa"]),
    ("a{99999999999}", ["a{99999999999}"], ["a"]),
    ("{", ["{"], []),
    ("(?:a|ab)(?:c|bcd)", ["ac", "abc", "abcd", "abbcd"], ["ab"]),
    ("(?P<name>a)b", ["ab"], ["a"]),
    ("a(?i)b(?-i)c|D", ["abc", "aBc", "D"], ["Abc", "abC", "d"]),
    ("(?i:a)b", ["Ab", "ab"], ["AB"]),
    ("(?i)\u00e9\u03c3k[x-z]", ["\u00c9\u03c2\u212aY", "\u00e9\u03a3KX"], ["e\u03c3ky"]),
    (r"(?i)[^k]", ["a"], ["k", "K", "\u212a"]),
    (r"(?i)\W", [" "], ["\u017f", "a"]),
    ("(?m)a$\n^b", ["a\nb"], ["a\n\nb"]),
    ("a$\nb", [], ["a\nb"]),
    (r"\Aa\z", ["a"], ["a\n"]),
    (r"a\b-\bb\B\w", ["a-bc"], ["a-b-"]),
    ("^*a$+", ["a"], ["aa"]),
    ("(|a)*", ["", "a", "aaa"], ["b"]),
    ("(a*)*b", ["aaab", "b"], ["a"]),
    (r"[^\x00-\x{10FFFF}]", [], ["", "a", b"\xff"]),
    ("(?:)(?i)()", [""], ["a"]),
    (r"^s3://.*", ["s3://bucket/x"], ["/tmp/s3://x", "s3:/x"]),
    ("\0a", ["\0a"], ["a"]),
    (r"\pL\p{Lu}\PL\p{^Lu}", ["aA1a", "\u00e9\u00c9 1"], ["1A1a", "aa1a", "aAaa", "aA1A"]),
    (r"[\pN\p{Greek}-]+", ["1\u2167\u03b1\u03a9-"], ["a"]),
    (r"\p{Yi}\P{Yi}\p{^Yi}", ["\ua000aa"], ["a\ua000a", "\ua000\ua000a"]),
    (r"[^\pN]\p{Han}", ["x\u4e2d", "\n\u4e2d"], ["1\u4e2d", "xx", b"\xff\xe4\xb8\xad"]),
    (r"(?i)\p{Lu}\P{Lu}", ["A1", "a1", "\u017f-"], ["1A", "aa", "aA"]),
    (r"\p{Any}+", ["a\n\u4e2d\U0010ffff"], ["", b"\xff"]),
    (r"\pC\pZ\p{^L}\P{^L}", ["\t 1a"], ["\u0378 1a"]),
]


@pytest.mark.parametrize(("pattern", "good", "bad"), SYNTAX, ids=[repr(p) for p, *_ in SYNTAX])
def test_syntax(pattern, good, bad):
    assert matches(pattern, *good, *bad) == [True] * len(good) + [False] * len(bad)
    fed = tf.placeholder(tf.string)
    assert run(tf.strings.regex_full_match(good + bad, fed), {fed: pattern}).sum() == len(good)


ERRORS = [
    ("a**", "bad repetition operator: **"),
    ("a*?+", "bad repetition operator: *?+"),
    ("a{2}{3}", "bad repetition operator: {2}{3}"),
    ("*a", "no argument for repetition operator: *"),
    ("a|*", "no argument for repetition operator: *"),
    ("(?i)+?", "no argument for repetition operator: +?"),
    ("({2})", "no argument for repetition operator: {2}"),
    ("a{1001}", "invalid repetition size: {1001}"),
    ("a{2,1}", "invalid repetition size: {2,1}"),
    ("(a{100}){100}", "invalid repetition size: {100}"),
    ("((a", "missing ): ((a"),
    ("a)", "unexpected ): a)"),
    ("\\", "trailing \\"),
    ("x[a", "missing ]: [a"),
    ("[a-", "missing ]: [a-"),
    ("[z-a]", "invalid character class range: z-a"),
    ("[[:foo:]]", "invalid character class range: [:foo:]"),
    ("\\q", "invalid escape sequence: \\q"),
    ("\\1", "invalid escape sequence: \\1"),
    ("[\\b]", "invalid escape sequence: \\b"),
    ("\\Z", "invalid escape sequence: \\Z"),
    ("\\x{}", "invalid escape sequence: \\x{}"),
    ("\\x{110000}", "invalid escape sequence: \\x{110000"),
    ("\\xg", "invalid escape sequence: \\xg"),
    ("(?=a)", "invalid perl operator: (?="),
    ("(?<=a)", "invalid perl operator: (?<"),
    ("(?z)", "invalid perl operator: (?z"),
    ("(?i", "invalid perl operator: (?i"),
    ("(?i-)", "invalid perl operator: (?i-)"),
    ("(?--i)", "invalid perl operator: (?--"),
    ("(?P=n)", "invalid perl operator: (?P"),
    ("(?P<n", "invalid named capture group: (?P<n"),
    ("(?P<>a)", "invalid named capture group: (?P<>"),
    ("(?P<n!>a)", "invalid named capture group: (?P<n!>"),
    (b"a\xff", "invalid UTF-8"),
    (b"[\xc0\x80]", "invalid UTF-8"),
    ("\\pX", "invalid character class range: \\pX"),
    ("[\\P{Greeks}]", "invalid character class range: \\P{Greeks}"),
    ("a\\p{Lu", "invalid character class range: \\p{Lu"),
    ("\\p{}", "invalid character class range: \\p{}"),
    ("\\p{^}", "invalid character class range: \\p{^}"),
    ("\\p{Cn}", "invalid character class range: \\p{Cn}"),
    ("\\p", "invalid character class range: \\p"),
    (b"\\p{\xff}", "invalid UTF-8"),
    ("\\pL{1000}", "pattern too large"),
]


@pytest.mark.parametrize(("pattern", "text"), ERRORS, ids=[repr(p) for p, _ in ERRORS])
def test_errors(pattern, text):
    fed = tf.placeholder(tf.string)
    for tensor in (
        tf.strings.regex_full_match("a", pattern),
        tf.strings.regex_full_match("a", fed),
        tf.strings.regex_replace("a", pattern, ""),
        tf.strings.regex_replace("a", fed, ""),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern: .*, error: " + re.escape(text)):
            run(tensor, {fed: pattern})


def test_only_scalars():
    fed = tf.placeholder(tf.string)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Pattern must be scalar, but received \[1\]"):
        run(tf.strings.regex_full_match("a", fed), {fed: ["a"]})
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Pattern must be scalar, but received \[2\]"):
        run(tf.strings.regex_replace("a", fed, "b"), {fed: ["a", "b"]})
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Rewrite must be scalar, but received \[1\]"):
        run(tf.strings.regex_replace("a", "b", fed), {fed: ["a"]})
    with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
        tf.strings.regex_full_match("a", tf.constant(["a"]))


def test_static_patterns_are_attributes():
    assert tf.strings.regex_full_match("a", "b").op.type == "StaticRegexFullMatch"
    assert tf.strings.regex_full_match("a", tf.constant("b")).op.type == "RegexFullMatch"
    assert tf.strings.regex_replace("a", "b", "c").op.type == "StaticRegexReplace"
    assert tf.strings.regex_replace("a", "b", tf.constant("c")).op.type == "RegexReplace"
    assert tf.regex_replace is tf.strings.regex_replace


@pytest.mark.parametrize(
    ("text", "pattern", "rewrite", "everywhere", "found"),
    [
        ("aaa", "a", "b", False, "baa"),
        ("aaa", "a", "b", True, "bbb"),
        ("abc", "", "-", True, "-a-b-c-"),
        ("baac", "a*", "-", True, "-b-c-"),
        ("\u20ac\u20ac", "", "-", True, "-\u20ac-\u20ac-"),
        (b"\x80\xffa", "", "-", True, b"-\x80-\xff-a-"),
        ("2016-11-02", r"(\d+)-(\d+)-(\d+)", r"\3.\2.\1 \\ \0", True, "02.11.2016 \\ 2016-11-02"),
        ("ab", "(a)|(b)", r"<\1\2>", True, "<a><b>"),
        ("xaby", "a(?P<n>b)", r"[\1]", True, "x[b]y"),
        ("aaa", "^a", "b", True, "baa"),
        ("a\na", "(?m)^", ">", True, ">a\n>a"),
        ("aXbX", "X?$", "!", True, "aXb!"),
        ("hello", "l+?", "L", True, "heLLo"),
        ("foobar", "(?:foo|foobar)", "<\\0>", True, "<foo>bar"),
        ("abcd", r"\Bb|\bc", "-", True, "a-cd"),
        ("", "a*", "x", True, "x"),
        ("", "a", "x", True, ""),
        ("ab", "b", r"\1", True, "ab"),  # there is no group 1
        ("ab", "(b)", r"\2", False, "ab"),
        ("ab", "b", r"<\d>", False, "ab"),
        ("abb", "b", r"<\d>", True, "a<<"),
        ("ab", "b", "\\", True, "a"),
    ],
)
def test_replacement(text, pattern, rewrite, everywhere, found):
    found = found.encode() if isinstance(found, str) else found
    assert replaced(text, pattern, rewrite, everywhere) == found
    fed = tf.placeholder(tf.string)
    assert run(tf.regex_replace(text, pattern, fed, everywhere), {fed: rewrite}) == found


def test_the_pattern_may_change_between_runs():
    fed = tf.placeholder(tf.string, [])
    found = tf.strings.regex_full_match(["a", "b"], fed)
    with tf.Session() as session:
        for _ in range(3):
            assert session.run(found, {fed: "a"}).tolist() == [True, False]
            assert session.run(found, {fed: "b"}).tolist() == [False, True]
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(found, {fed: "("})


def test_many_strings_on_several_threads():
    texts = [f"{i} and {i * i}" for i in range(5000)]
    found = run(tf.strings.regex_replace(texts, r"(\d+) and (\d+)", r"\2 \1"))
    assert found.tolist() == [f"{i * i} {i}".encode() for i in range(5000)]
    assert run(tf.strings.regex_full_match(np.array(texts).reshape(50, 100), ".*1")).sum() == 1000


def test_time_is_linear():
    """Backtracking would take 2^30 steps and more."""
    text = "a" * 200000
    assert matches("(a*)*b", text) == [False] and matches("(a|aa)+$", text) == [True]
    assert matches("(a?){30}a{30}", "a" * 30) == [True]
    assert replaced(text + "b", "(x+x+)+y|b", "") == text.encode()


def test_deep_nesting():
    assert matches("(" * 5000 + "a" + ")*" * 5000, "aaa") == [True]
    assert matches("a|" * 20000 + "b", "b") == [True]


def test_errors_show_zero_bytes():
    fed = tf.placeholder(tf.string)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Invalid pattern: \(a\\0, error: missing \): \(a\\0\n"):
        run(tf.strings.regex_full_match("a", fed), {fed: b"(a\0"})


def test_no_strings():
    nothing = np.empty((0, 3), object)
    assert run(tf.strings.regex_full_match(nothing, "a")).shape == (0, 3)
    assert run(tf.strings.regex_replace(nothing, "a", "b")).shape == (0, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="missing"):
        run(tf.strings.regex_full_match(nothing, "("))


SLOW = "[ab]*a[ab]{16}"  # RE2 makes new states for it all the time, with a lock held


def slow_text(size):
    return "".join(random.Random(1).choices("ab", k=size))


@pytest.mark.alone
def test_a_long_run_ends_with_its_step():
    texts, fed = [slow_text(10000)] * 100000, tf.placeholder(tf.string)
    found = tf.strings.regex_full_match(fed, SLOW)  # of a constant, the value would be computed before
    with tf.Session() as session:
        begin = time.monotonic()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(found, {fed: texts}, options=tf.RunOptions(timeout_in_ms=100))
        assert time.monotonic() - begin < 60


def test_steps_on_several_threads():
    fed, pattern = tf.placeholder(tf.string), tf.placeholder(tf.string, [])
    found = tf.strings.regex_replace(fed, pattern, r"<\0>")

    def work(number):
        for i in range(2 * regex.KEPT):  # more expressions than are kept
            wanted = [f"x<{i}>x{number}".encode()]
            assert session.run(found, {fed: [f"x{i}x{number}"], pattern: f"^?{i}|{i}(?:x{i})?"}).tolist() == wanted

    with tf.Session() as session, concurrent.futures.ThreadPoolExecutor(4) as threads:
        list(threads.map(work, "abcd"))


def test_few_expressions_are_kept():
    fed = tf.placeholder(tf.string, [])
    found = tf.strings.regex_replace("a", fed, fed)
    with tf.Session() as session:
        for i in range(2 * regex.KEPT):
            session.run(found, {fed: f"a{i}"})
    assert regex.expression.cache_info().currsize == regex.rewrite_parts.cache_info().currsize == regex.KEPT


FORK = """
import os, threading, time
import tfcore as tf
from tests.ops.strings.test_regex import SLOW, slow_text

text, fed = slow_text(100000), tf.placeholder(tf.string)
found = tf.strings.regex_full_match(fed, SLOW)
session = tf.Session()

def work():
    while True:
        session.run(found, {fed: text})

for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
for _ in range(10):
    if (child := os.fork()) == 0:
        with tf.Session() as own:
            own.run(found, {fed: text})
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
os._exit(0)
"""


@pytest.mark.alone
def test_children_match_what_their_parent_was_matching():
    """The parent's threads hold locks of its expressions when it forks."""
    subprocess.run([sys.executable, "-c", FORK], check=True, timeout=300)


def test_re2_is_loaded_with_the_first_kernel():
    program = """
import sys
import tfcore as tf
found = tf.strings.regex_full_match("a", "a")
assert "re2" not in sys.modules
tf.Session().run(found)
assert "re2" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


# ---- Expressions that Python understands in the same way, as trees: nothing repeats what may be empty.

_CHARS = st.sampled_from(["a", "b", "c", "\u00e9", r"\.", "[ab]", "[^a]", r"\w", r"\W", ".", r"[\db-]", "(?s:.)"])
_PLACES = st.sampled_from(["^", r"\b", r"\B", r"\A", "(?m:^)", "(?m:$)"])
_REPEATS = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,2}", "{2,}"])


@st.composite
def _expressions(draw, depth=3):
    """(expression, whether it may match the empty text)"""
    kind = draw(st.sampled_from(["char", "place", "sequence", "choice", "repeat", "group"])) if depth else "char"
    if kind == "char":
        return draw(_CHARS), False
    if kind == "place":
        return draw(_PLACES), True
    if kind in ("sequence", "choice"):
        parts = draw(st.lists(_expressions(depth - 1), min_size=1, max_size=3))
        empty = (all if kind == "sequence" else any)(e for _, e in parts)
        return "".join(p for p, _ in parts) if kind == "sequence" else f"(?:{'|'.join(p for p, _ in parts)})", empty
    inner, empty = draw(_expressions(depth - 1))
    if kind == "group" or empty:
        return f"({inner})", empty
    repeat = draw(_REPEATS)
    return f"(?:{inner}){repeat}{draw(st.sampled_from(['', '?']))}", repeat[0] in "*?" or repeat == "{0,2}"


_TEXTS = st.text(st.sampled_from("abc.\n1- \u00e9"), max_size=10)


@settings(deadline=None, max_examples=int(150 * EFFORT) or 20)
@given(_expressions(), _TEXTS)
@example(("(a)|b", True), "ba")
def test_expressions_mean_what_they_mean_in_python(expression, text):
    pattern, text = expression[0], text
    compiled = re.compile(pattern, re.ASCII)
    rewrite = "<" + "|".join(rf"\{i}" for i in range(min(compiled.groups, 9) + 1)) + ">"
    with tf.Graph().as_default():
        first = tf.strings.regex_replace(text, pattern, rewrite, replace_global=False)
        everywhere = tf.strings.regex_replace(text, pattern, rewrite)
        full = tf.strings.regex_full_match(text, pattern)
        with tf.Session() as session:
            found = [session.run(t) for t in (first, everywhere, full)]
    wanted = [replace(pattern, rewrite, text, everywhere).encode() for everywhere in (False, True)]
    assert found == [*wanted, compiled.fullmatch(text) is not None]
