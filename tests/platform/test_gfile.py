"""tf.gfile and tf.io.gfile: files here, and behind schemes."""

import builtins
import fnmatch
import os
import pathlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tfcore.platform import file_system

GFile = tf.gfile.GFile


def write(path, content):
    with GFile(path, "w") as file:
        file.write(content)


def read(path, mode="r"):
    return GFile(path, mode).read()


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path)


@pytest.fixture
def tree(folder):
    os.makedirs(folder + "/p/q")
    for name in ("a.txt", "p/b.txt", "p/.hidden", "p/q/c.txt"):
        write(f"{folder}/{name}", name)
    return folder


def test_lines(folder):
    write(folder + "/a", "one\ntwo\r\nthree")
    assert read(folder + "/a") == "one\ntwo\r\nthree"
    assert GFile(folder + "/a").readlines() == list(GFile(folder + "/a")) == ["one\n", "two\n", "three"]
    file = GFile(folder + "/a", "rb")
    assert file.next() == b"one\n"
    assert file.readline() == b"two\n" and file.tell() == 9 and file.read() == b"three" and file.readline() == b""


@given(st.binary(max_size=50), st.lists(st.integers(-1, 60), max_size=5))
def test_reading_and_seeking(tmp_path_factory, content, places):
    path = str(tmp_path_factory.mktemp("gfile") / "x")
    GFile(path, "w").tell()  # creates it
    with GFile(path, "wb") as file:
        file.write(content)
        assert file.tell() == len(content)
    file = GFile(path, "rb")
    assert file.size() == len(content) and file.seekable()
    for place in places:
        if place < 0:
            with pytest.raises(tf.errors.InvalidArgumentError, match="Seeking to a negative position: -1"):
                file.seek(place)
        elif place > len(content):
            with pytest.raises(tf.errors.OutOfRangeError, match="reached end of file"):
                file.seek(place)
            assert file.read() == b""
        else:
            file.seek(position=place)
            assert file.read(3) == content[place : place + 3]
            file.seek(place - len(content), whence=2)
            assert file.read() == content[place:]


def test_wrong_seeks(folder):
    write(folder + "/a", "abc")
    file = GFile(folder + "/a")
    with pytest.raises(TypeError, match="offset argument required"):
        file.seek()
    with pytest.raises(TypeError, match="may not be set simultaneously"):
        file.seek(1, position=1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid whence argument: 5"):
        file.seek(0, 5)


def test_modes(folder):
    path = folder + "/a"
    write(path, "abcdef")
    with GFile(path, "a") as file:
        file.write(b"+")
        assert file.tell() == 7
    with GFile(path, "r+") as file:
        assert file.read(3) == "abc"
        file.write("xy")  # empties the file, as in TensorFlow
        file.flush()
    assert read(path) == "xy"
    with GFile(path, "w") as file:
        file.write("1")
        file.close()
        file.write("2")
    assert read(path) == "2"
    with GFile(folder + "/never", "w"):
        pass
    assert not os.path.exists(folder + "/never")  # opened when it is first written
    assert (file.name, file.mode) == (path, "w")


@pytest.mark.parametrize("mode", ["q", "", "rw", "x"])
def test_wrong_modes(mode):
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode is not 'r' or 'w'"):
        GFile("x", mode)


def test_what_a_mode_does_not_allow(folder):
    with pytest.raises(tf.errors.PermissionDeniedError, match="File isn't open for writing"):
        GFile(folder + "/x", "r").write("a")
    with pytest.raises(tf.errors.PermissionDeniedError, match="File isn't open for reading"):
        GFile(folder + "/x", "w").read()
    with pytest.raises(TypeError, match="Expected binary or unicode string, got 5"):
        GFile(folder + "/x", "w").write(5)


MISSING = tf.errors.NotFoundError
ERRORS = {
    "read nothing": (lambda d: GFile(d + "/no").read(), MISSING, "/no; No such file or directory"),
    "size of nothing": (lambda d: GFile(d + "/no").size(), MISSING, "No such file"),
    "write into nothing": (lambda d: write(d + "/no/x", ""), MISSING, "No such file"),
    "read a folder": (lambda d: GFile(d).read(), tf.errors.FailedPreconditionError, "Is a directory"),
    "remove nothing": (lambda d: tf.gfile.Remove(d + "/no"), MISSING, "No such file"),
    "remove a folder": (lambda d: tf.gfile.Remove(d + "/p"), tf.errors.FailedPreconditionError, "Is a directory"),
    "remove no tree": (lambda d: tf.gfile.DeleteRecursively(d + "/no"), MISSING, "/no not found"),
    "list nothing": (lambda d: tf.gfile.ListDirectory(d + "/no"), MISSING, "Could not find directory"),
    "list a file": (lambda d: tf.gfile.ListDirectory(d + "/a.txt"), MISSING, "Could not find directory"),
    "a folder in nothing": (lambda d: tf.gfile.MkDir(d + "/no/x"), MISSING, "No such file"),
    "a folder below a file": (
        lambda d: tf.gfile.MakeDirs(d + "/a.txt/b/c"),
        tf.errors.FailedPreconditionError,
        "a.txt is not a directory",
    ),
    "copy onto a file": (
        lambda d: tf.gfile.Copy(d + "/a.txt", d + "/p/b.txt"),
        tf.errors.AlreadyExistsError,
        "file already exists",
    ),
    "copy nothing": (lambda d: tf.gfile.Copy(d + "/no", d + "/x"), MISSING, "No such file"),
    "copy into nothing": (lambda d: tf.gfile.Copy(d + "/a.txt", d + "/no/x"), MISSING, "No such file"),
    "copy a folder": (lambda d: tf.gfile.Copy(d + "/p", d + "/x"), tf.errors.InvalidArgumentError, "Is a directory"),
    "copy onto a folder": (
        lambda d: tf.gfile.Copy(d + "/a.txt", d + "/p", overwrite=True),
        tf.errors.FailedPreconditionError,
        "Is a directory",
    ),
    "rename onto a file": (
        lambda d: tf.gfile.Rename(d + "/a.txt", d + "/p/b.txt"),
        tf.errors.AlreadyExistsError,
        "file already exists",
    ),
    "rename nothing": (lambda d: tf.gfile.Rename(d + "/no", d + "/x"), MISSING, "No such file"),
    "rename onto a folder": (
        lambda d: tf.gfile.Rename(d + "/a.txt", d + "/p", True),
        tf.errors.FailedPreconditionError,
        "Is a directory",
    ),
    "stat nothing": (lambda d: tf.gfile.Stat(d + "/no"), MISSING, "No such file"),
    "no path": (lambda d: tf.gfile.Exists(3), TypeError, "Expected binary or unicode string, got 3"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors(tree, case):
    function, error, text = ERRORS[case]
    with pytest.raises(error, match=text):
        function(tree)


def test_folders(tree):
    assert tf.gfile.Exists(tree + "/a.txt") and tf.gfile.Exists(tree) and not tf.gfile.Exists(tree + "/no")
    assert tf.gfile.IsDirectory(tree + "/p") and not tf.gfile.IsDirectory(tree + "/a.txt")
    assert sorted(tf.gfile.ListDirectory(tree)) == ["a.txt", "p"]
    tf.gfile.MkDir(tree + "/d")
    tf.gfile.MkDir(tree + "/d")
    tf.gfile.MakeDirs(tree + "/d/e/f")
    tf.gfile.MakeDirs(tree + "/d/e/f")
    assert tf.io.gfile.isdir(pathlib.Path(tree) / "d" / "e" / "f")
    tf.gfile.DeleteRecursively(tree + "/d")
    assert not tf.io.gfile.exists(tree + "/d")


def test_copies_and_moves(tree):
    tf.gfile.Copy(tree + "/a.txt", tree + "/copy")
    assert read(tree + "/copy") == "a.txt"
    tf.gfile.Copy(tree + "/p/b.txt", tree + "/copy", overwrite=True)
    assert read(tree + "/copy", "rb") == b"p/b.txt"
    tf.gfile.Rename(tree + "/copy", tree + "/a.txt", overwrite=True)
    assert read(tree + "/a.txt") == "p/b.txt" and not tf.gfile.Exists(tree + "/copy")
    tf.gfile.Rename(tree + "/p", tree + "/r")
    assert tf.gfile.Exists(tree + "/r/q/c.txt")


def test_stat(tree):
    found = tf.gfile.Stat(tree + "/a.txt")
    assert (found.length, found.is_directory) == (5, False)
    assert found.mtime_nsec == os.stat(tree + "/a.txt").st_mtime_ns
    assert tf.io.gfile.stat(tree).is_directory


def test_walks(tree):
    def sort(walk):
        return [(path, sorted(folders), sorted(files)) for path, folders, files in walk]

    expected = [
        (tree, ["p"], ["a.txt"]),
        (tree + "/p", ["q"], [".hidden", "b.txt"]),
        (tree + "/p/q", [], ["c.txt"]),
    ]
    assert sort(tf.gfile.Walk(tree)) == expected
    assert sort(tf.gfile.Walk(tree, in_order=False)) == expected[::-1]
    assert list(tf.io.gfile.walk(tree + "/no")) == []
    seen = []
    assert list(tf.io.gfile.walk(tree + "/no", onerror=seen.append)) == []
    assert isinstance(seen[0], tf.errors.NotFoundError)


@pytest.mark.parametrize(
    "pattern, found",
    [
        ("/p/*", ["/p/.hidden", "/p/b.txt", "/p/q"]),
        ("/*/*.txt", ["/p/b.txt"]),
        ("/p/q/../*.txt", ["/p/q/../b.txt"]),
        ("/p/[ab].txt", ["/p/b.txt"]),
        ("/p/[^a].txt", ["/p/b.txt"]),
        ("/p/[!b].txt", []),
        ("/p/\\b.tx?", ["/p/b.txt"]),
        ("/p/b.txt", ["/p/b.txt"]),
        ("/no/*", []),
        ("/nothing", []),
        ("/p/[b", []),
    ],
)
def test_glob(tree, pattern, found):
    assert sorted(tf.gfile.Glob(tree + pattern)) == [tree + path for path in found]


def test_several_patterns(tree):
    assert tf.io.gfile.glob([tree + "/a*", tree + "/p/q/*"]) == [tree + "/a.txt", tree + "/p/q/c.txt"]


@given(st.text("ab*?[]^-!", max_size=6), st.text("ab[]^-!", min_size=1, max_size=6))
def test_patterns_match_like_the_standard_library(pattern, name):
    import re

    if re.search(r"\[[\^!]?\]", pattern) or "[" in pattern and "-" in pattern:
        return  # ranges and sets that contain brackets differ between libraries
    expected = fnmatch.fnmatchcase(name, pattern.replace("[^", "[!"))
    assert bool(re.fullmatch(file_system._regex(pattern), name)) == expected


def test_join():
    assert tf.io.gfile.join("a", "b", "/c") == "/c" and tf.io.gfile.join("gs://b/", "x") == "gs://b/x"


# ---- Schemes


def test_files_of_this_machine_by_scheme(tree):
    assert tf.io.gfile.exists("file://" + tree) and read(f"file://{tree}/a.txt") == "a.txt"
    assert tf.io.gfile.glob(f"file://{tree}/a*") == [f"file://{tree}/a.txt"]
    assert {"", "file"} <= set(tf.io.gfile.get_registered_schemes())


def test_without_fsspec(monkeypatch):
    real = builtins.__import__

    def no_fsspec(name, *rest):
        if name.partition(".")[0] == "fsspec":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", no_fsspec)
    text = "File system scheme 'gs' not implemented .file: 'gs://b/x'.: it needs fsspec. Install it with: pip install"
    with pytest.raises(tf.errors.UnimplementedError, match=text):
        tf.io.gfile.exists("gs://b/x")
    assert tf.io.gfile.get_registered_schemes() == ["", "file"]


@pytest.fixture
def memory():
    pytest.importorskip("fsspec")
    root = "memory://bucket"
    tf.io.gfile.makedirs(root)
    yield root
    tf.io.gfile.rmtree(root)


def test_unknown_scheme(memory):
    with pytest.raises(tf.errors.UnimplementedError, match="File system scheme 'foo' not implemented"):
        tf.io.gfile.exists("foo://bucket/x")


def test_another_file_system(memory, folder):
    assert not tf.io.gfile.exists(memory + "/x")
    write(memory + "/x", "one\ntwo\n")
    assert tf.io.gfile.exists(memory + "/x") and GFile(memory + "/x").readlines() == ["one\n", "two\n"]
    assert tf.io.gfile.stat(memory + "/x").length == 8
    tf.io.gfile.copy(memory + "/x", folder + "/here")
    assert read(folder + "/here") == "one\ntwo\n"
    tf.io.gfile.rename(memory + "/x", memory + "/y")
    assert tf.io.gfile.listdir(memory) == ["y"] and tf.io.gfile.glob(memory + "/*") == [memory + "/y"]
    tf.io.gfile.makedirs(memory + "/deep/er")
    write(memory + "/deep/er/z", "")
    assert tf.io.gfile.isdir(memory + "/deep")
    assert [path for path, _, files in tf.io.gfile.walk(memory) if "z" in files] == [memory + "/deep/er"]
    tf.io.gfile.remove(memory + "/y")
    with pytest.raises(tf.errors.NotFoundError):
        read(memory + "/y")
    with pytest.raises(tf.errors.UnimplementedError, match="Renaming"):
        tf.io.gfile.rename(memory + "/deep/er/z", folder + "/z")


def test_renaming_from_one_remote_system_to_another(memory, folder):
    write(memory + "/x", "one")
    with pytest.raises(tf.errors.UnimplementedError, match="Renaming"):
        tf.io.gfile.rename(memory + "/x", f"local://{folder}/x")
    assert tf.io.gfile.listdir(memory) == ["x"] and os.listdir(folder) == []
