"""tf.gfile where systems refuse: full disks, odd names, links, files that are copied onto themselves."""

import os

import pytest

import tfcore as tf

GFile = tf.gfile.GFile
FULL = "/dev/full"


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path)


def write(path, content):
    with GFile(path, "w") as file:
        file.write(content)


def close(file):
    file.write("x")
    file.close()


def flush(file):
    file.write("x")
    file.flush()


@pytest.mark.skipif(not os.path.exists(FULL), reason="needs /dev/full")
@pytest.mark.parametrize("act", [close, flush, lambda file: file.write("x" * 1_000_000)])
def test_a_full_disk(act):
    file = GFile(FULL, "w")
    with pytest.raises(tf.errors.ResourceExhaustedError, match="/dev/full; No space left on device"):
        act(file)


@pytest.mark.skipif(not os.path.exists(FULL), reason="needs /dev/full")
def test_copying_to_a_full_disk(folder):
    write(folder + "/a", "x")  # less than a buffer: written when the file is closed
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left on device"):
        tf.gfile.Copy(folder + "/a", FULL, overwrite=True)


def test_reading_what_cannot_be_read(folder):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Can't read a negative number of bytes: -2"):
        write(folder + "/a", "x")
        GFile(folder + "/a").read(-2)
    with pytest.raises(tf.errors.OpError, match="/proc/self/mem"):
        GFile("/proc/self/mem").read(1)


@pytest.mark.parametrize("target", ["a", "./a", "symbolic", "hard"])
def test_a_file_copied_onto_itself_stays_as_it_is(folder, target):
    write(folder + "/a", "content")
    os.symlink("a", folder + "/symbolic")
    os.link(folder + "/a", folder + "/hard")
    tf.gfile.Copy(folder + "/a", f"{folder}/{target}", overwrite=True)
    assert GFile(folder + "/a").read() == "content"


def test_copies_keep_permissions(folder):
    write(folder + "/a", "content")
    os.chmod(folder + "/a", 0o700)
    tf.gfile.Copy(folder + "/a", folder + "/b")
    assert os.stat(folder + "/b").st_mode & 0o777 == 0o700
    os.chmod(folder + "/b", 0o600)
    tf.gfile.Copy(folder + "/a", folder + "/b", overwrite=True)
    assert os.stat(folder + "/b").st_mode & 0o777 == 0o600


def test_names_that_are_no_utf8(folder):
    with open(os.fsencode(folder) + b"/\xff", "w") as file:
        file.write("abc")
    os.mkdir(os.fsencode(folder) + b"/\xfe")
    ((top, folders, names), (below, _, _)) = tf.gfile.Walk(folder)
    assert top == folder and folders == ["\udcfe"] and names == ["\udcff"] and below == folder + "/\udcfe"
    assert sorted(tf.gfile.Glob(folder + "/*")) == [folder + "/\udcfe", folder + "/\udcff"]
    assert GFile(f"{folder}/{names[0]}").size() == GFile(os.fsencode(folder) + b"/\xff").size() == 3


@pytest.mark.parametrize(
    "call",
    [
        tf.gfile.Exists,
        tf.gfile.Stat,
        tf.gfile.MkDir,
        tf.gfile.Remove,
        lambda path: GFile(path).read(),
        lambda path: GFile(path, "w").write(""),
        lambda path: tf.gfile.Rename(path, "b"),
    ],
)
def test_names_with_null(folder, call):
    with pytest.raises(tf.errors.InvalidArgumentError, match="embedded null character"):
        call(folder + "/a\0b")
    assert os.listdir(folder) == []


@pytest.mark.parametrize(
    ("pattern", "found"),
    [("a*", ["a\nb"]), ("a?b", ["a\nb"]), ("[z-a]*", []), ("[^z-a]", ["&", "-"]), ("[!-&&-]*", ["a\nb"])],
)
def test_odd_patterns(folder, pattern, found):
    for name in ("a\nb", "&", "-"):
        write(f"{folder}/{name}", "")
    assert tf.gfile.Glob(f"{folder}/{pattern}") == [f"{folder}/{name}" for name in found]


def test_deleting_a_link_deletes_nothing_behind_it(folder):
    os.makedirs(folder + "/real/sub")
    os.symlink("real", folder + "/link")
    with pytest.raises(tf.errors.FailedPreconditionError, match="Not a directory"):
        tf.gfile.DeleteRecursively(folder + "/link")
    os.makedirs(folder + "/other")
    os.symlink("../real", folder + "/other/link")
    tf.gfile.DeleteRecursively(folder + "/other")
    assert sorted(os.listdir(folder)) == ["link", "real"] and os.listdir(folder + "/real") == ["sub"]
