"""Event files, as TensorBoard's own reader finds them; the cache of writers; errors; forks."""

import os
import pathlib
import resource
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

import tfcore as tf
from tests.distributed import PATIENCE
from tfcore.summary import event_file


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g
    tf.summary.FileWriterCache.clear()


def read(folder):
    """The events of all files of a folder, in order; the reader checks the checksums."""
    from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader

    events = []
    for path in sorted(pathlib.Path(folder).glob("events.out.tfevents.*")):
        events.append([tf.Event.FromString(data) for data in RawEventFileLoader(str(path)).Load()])
    return events


def scalars(events):
    return [(e.step, v.tag, v.simple_value) for e in events for v in e.summary.value]


def test_events(tmp_path, graph):
    loss = tf.summary.scalar("loss", 0.5)
    with tf.summary.FileWriter(tmp_path / "deep" / "folder", graph, filename_suffix=".end") as writer:
        with tf.Session() as sess:
            writer.add_summary(sess.run(loss), 7)
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="b", simple_value=2)]))
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.CHECKPOINT, checkpoint_path="there"), 8)
        writer.add_event(tf.Event(step=9))
    assert writer.get_logdir() == str(tmp_path / "deep" / "folder")
    (path,) = (tmp_path / "deep" / "folder").iterdir()
    assert path.name.endswith(".end")
    ((version, definition, meta, first, second, log, other),) = read(path.parent)
    assert version.file_version == "brain.Event:2" and version.wall_time > 1e9
    assert tf.GraphDef.FromString(definition.graph_def).node[0].name == "loss/tags"
    assert len(tf.MetaGraphDef.FromString(meta.meta_graph_def).graph_def.node) == len(graph.get_operations())
    assert scalars([first, second]) == [(7, "loss", 0.5), (0, "b", 2.0)] and first.wall_time >= version.wall_time
    assert log.session_log.checkpoint_path == "there" and log.step == 8 and other.step == 9


def test_when_events_are_written(tmp_path):
    writer = tf.summary.FileWriter(tmp_path, max_queue=3)
    for step in range(5):
        writer.add_event(tf.Event(step=step))
        written = [len(events) - 1 for events in read(tmp_path)]
        assert written == [[1], [1], [1], [4], [4]][step]  # the first at once, then three together
    writer.flush()
    assert [e.step for e in read(tmp_path)[0]] == [0, 0, 1, 2, 3, 4]
    writer.close()
    soon = tf.summary.FileWriter(tmp_path / "soon", flush_secs=0)
    for step in range(2):
        soon.add_event(tf.Event(step=step))
    assert len(read(tmp_path / "soon")[0]) == 3


def test_metadata_of_a_tag_are_written_once(tmp_path):
    text = tf.summary.text("t", tf.constant("hello"))
    with tf.summary.FileWriter(tmp_path) as writer, tf.Session() as sess:
        given = tf.Summary.FromString(sess.run(text))
        writer.add_summary(given, 1)
        writer.add_summary(given, 2)
        assert given.value[0].HasField("metadata")  # the caller's is as it was
    (events,) = read(tmp_path)
    assert [e.summary.value[0].HasField("metadata") for e in events[1:]] == [True, False]


def test_run_metadata(tmp_path):
    metadata = tf.RunMetadata()
    with tf.summary.FileWriter(tmp_path) as writer, tf.Session() as sess:
        sess.run(tf.constant(1) + 1, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
        writer.add_run_metadata(metadata, "step1", 1)
        with pytest.raises(ValueError, match="The provided tag was already used for this event type"):
            writer.add_run_metadata(metadata, "step1", 2)
    tagged = read(tmp_path)[0][1].tagged_run_metadata
    assert tagged.tag == "step1" and tagged.run_metadata == metadata.SerializeToString()


def test_closed_writers(tmp_path):
    writer = tf.summary.FileWriter(tmp_path)
    writer.add_event(tf.Event(step=1))
    writer.close()
    writer.close()
    with pytest.warns(UserWarning, match="closed FileWriter"):
        writer.add_event(tf.Event(step=2))
    writer.flush()
    writer.reopen()
    writer.add_event(tf.Event(step=3))
    writer.close()
    assert sorted([e.step for e in events] for events in read(tmp_path)) == [[0, 1], [0, 3]]


def test_graphs_of_other_kinds(tmp_path, graph):
    tf.constant(1, name="one")
    for given in ({"graph": graph.as_graph_def()}, {"graph_def": graph.as_graph_def()}, {"graph_def": graph}):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        tf.summary.FileWriter(folder, **given).close()
        definition, meta = read(folder)[0][1:]
        assert tf.GraphDef.FromString(definition.graph_def).node[0].name == "one" and meta.meta_graph_def
    with pytest.raises(ValueError, match="but not both"):
        tf.summary.FileWriter(tmp_path, graph, graph_def=graph)
    with pytest.raises(TypeError, match="must be an instance of `Graph`"):
        tf.summary.FileWriter(tmp_path, "graph")
    with pytest.raises(TypeError, match="meta_graph_def must be type MetaGraphDef"):
        tf.summary.FileWriter(tmp_path).add_meta_graph(graph.as_graph_def())
    with pytest.raises(tf.errors.UnimplementedError, match="session"):
        tf.summary.FileWriter(tmp_path, session=1)


def test_cache(tmp_path, graph):
    tf.constant(1, name="one")
    writer = tf.summary.FileWriterCache.get(str(tmp_path))
    assert tf.summary.FileWriterCache.get(str(tmp_path)) is writer
    other = tf.summary.FileWriterCache.get(str(tmp_path / "other"))
    assert other is not writer
    tf.summary.FileWriterCache.clear()
    assert len(read(tmp_path)[0]) == 3  # with the graph
    assert tf.summary.FileWriterCache.get(str(tmp_path)) is not writer


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.OpError, match=f"{tmp_path}/file/folder; Not a directory"):
        tf.summary.FileWriter(tmp_path / "file" / "folder")
    with pytest.raises(tf.errors.AlreadyExistsError, match=f"{tmp_path}/file; File exists"):
        tf.summary.FileWriter(tmp_path / "file")


def test_folders_have_urls_of_this_machine_only(tmp_path):
    tf.summary.FileWriter(f"file://{tmp_path}/folder").close()
    assert len(read(tmp_path / "folder")) == 0 and (tmp_path / "folder").is_dir()
    with pytest.raises(tf.errors.UnimplementedError, match="folders of this machine only, not to 'memory://folder'"):
        tf.summary.FileWriter("memory://folder")


def test_one_that_cannot_be_written_is_not_the_others_loss(tmp_path):
    writers = [tf.summary.FileWriterCache.get(str(tmp_path / str(i))) for i in range(6)]
    path = tmp_path / "2" / "read only"
    path.touch()
    with writers[2]._file._file, open(path, "rb") as read_only:
        writers[2]._file._file = read_only
        for i, writer in enumerate(writers):
            writer.add_event(tf.Event(step=i))
        with pytest.raises(tf.errors.OpError, match="/2/events"):
            tf.summary.FileWriterCache.clear()
    for i in (0, 1, 3, 4, 5):
        assert read(tmp_path / str(i))[0][-1].step == i


PROGRAM = """
import resource, signal, sys
import tfcore as tf
writer = tf.summary.FileWriter(sys.argv[1], max_queue=1)
writer.add_event(tf.Event(step=1))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
limit = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (200, limit[1]))
large = tf.Event(step=2, session_log={"msg": 1000 * "x"})
try:
    writer.add_event(large)
except tf.errors.OpError as error:
    print(type(error).__name__, "events.out.tfevents" in str(error))
resource.setrlimit(resource.RLIMIT_FSIZE, limit)
writer.add_event(tf.Event(step=3))
writer.close()
"""


@pytest.mark.alone
def test_a_file_that_cannot_grow_has_only_whole_records(tmp_path):
    assert signal.SIGXFSZ and resource.RLIMIT_FSIZE
    program = [sys.executable, "-c", textwrap.dedent(PROGRAM), str(tmp_path)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=120)
    assert done.stdout == "ResourceExhaustedError True\n", done.stderr  # no end of an input
    assert [e.step for e in read(tmp_path)[0]] == [0, 1, 3]


@pytest.mark.alone
def test_the_end_of_the_program_writes_what_waits(tmp_path):
    program = """
        import sys
        import tfcore as tf
        for step in range(3):
            tf.summary.FileWriterCache.get(sys.argv[1]).add_event(tf.Event(step=step))
        tf.summary.FileWriter(sys.argv[1] + "/dropped").add_event(tf.Event(step=7))
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program), str(tmp_path)], check=True, timeout=120)
    assert [e.step for e in read(tmp_path)[0]][-3:] == [0, 1, 2]
    assert [e.step for e in read(tmp_path / "dropped")[0]] == [0, 7]


def test_forked_processes_have_writers_of_their_own(tmp_path):
    writer = tf.summary.FileWriterCache.get(str(tmp_path))
    writer.add_event(tf.Event(step=1))  # waits in memory
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            try:
                writer.add_event(tf.Event(step=2))
            except RuntimeError:
                writer.close()
                own = tf.summary.FileWriterCache.get(str(tmp_path))
                own.add_event(tf.Event(step=3))
                own.close()
                code = 0 if own is not writer else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    writer.close()
    assert sorted([e.step for e in events if e.step] for events in read(tmp_path)) == [[1], [3]]


@pytest.mark.parametrize("method", ["flush", "close"])
def test_a_signal_handler_may_write_at_any_place(tmp_path, method):
    """A tracer stands for the handler: it runs at each line once."""
    file = event_file.EventFile(str(tmp_path), 3, 120, "")
    met = set()

    def handle(frame, event, arg):
        if frame.f_code.co_filename != event_file.__file__:
            return None
        if event == "line" and frame.f_lineno not in met:
            met.add(frame.f_lineno)
            file.add(tf.Event(step=1000 + len(met)))
            getattr(file, method)()
        return handle

    def write():
        sys.settrace(handle)
        for step in range(20):
            file.add(tf.Event(step=step))
            if step % 5 == 4:
                getattr(file, method)()

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    thread.join(60 * PATIENCE)
    assert not thread.is_alive() and len(met) > 20
    file.close()
    files = read(tmp_path)
    assert all(events[0].file_version for events in files)
    steps = [event.step for events in files for event in events[1:]]
    assert sorted(steps) == [*range(20), *range(1001, 1001 + len(met))]


@pytest.mark.parametrize("place", range(9))
def test_what_a_signal_handler_adds_is_written_at_exit(tmp_path, place):
    """`_unwritten` has the file, at whatever line of `_flush` the handler runs."""
    file = event_file.EventFile(str(tmp_path), 10, 120, "")
    file.flush()
    file.add(tf.Event(step=1))
    lines = []

    def handle(frame, event, arg):
        if frame.f_code is event_file.EventFile._flush.__code__ and event == "line":
            lines.append(frame.f_lineno)
            if len(lines) == place + 1:
                file.add(tf.Event(step=2))
        return handle

    before = sys.gettrace()
    sys.settrace(handle)
    try:
        file.flush()
    finally:
        sys.settrace(before)
    assert len(lines) > place
    assert (file in event_file._unwritten) == bool(file._waiting)
    file.close()
    assert [event.step for event in read(tmp_path)[0][1:]] == [1, 2]


def test_an_interrupted_write_is_done_later(tmp_path):
    file = event_file.EventFile(str(tmp_path), 10, 120, "")

    def interrupt(frame, event, arg):
        if frame.f_code is event_file.EventFile._write.__code__:
            raise KeyboardInterrupt
        return None

    file.flush()
    file.add(tf.Event(step=1))
    before = sys.gettrace()
    try:
        with pytest.raises(KeyboardInterrupt):
            sys.settrace(interrupt)
            file.flush()
    finally:
        sys.settrace(before)
    file.add(tf.Event(step=2))
    file.close()
    assert [event.step for event in read(tmp_path)[0][1:]] == [1, 2]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("is_new", [False, True])
def test_a_write_that_fails_half_way_leaves_no_half_of_a_record(tmp_path, monkeypatch, error, is_new):
    """Nor does a file lack its first record when it is the one that fails."""

    class Half:
        def __init__(self, *args, **kwargs):
            self._file, self._fails = open(*args, **kwargs), is_new  # noqa: SIM115

        def __getattr__(self, name):
            return getattr(self._file, name)

        def write(self, data):
            if self._fails:
                self._file.write(data[:7])
                self._fails = False
                raise error
            return self._file.write(data)

    monkeypatch.setattr(event_file, "open", Half, raising=False)
    file = event_file.EventFile(str(tmp_path), 1, 120, "")
    if not is_new:
        file.add(tf.Event(step=1))
        file._file._fails = True
    with pytest.raises((KeyboardInterrupt, tf.errors.OpError)):
        file.add(tf.Event(step=2))
    file.add(tf.Event(step=3))
    file.close()
    (events,) = read(tmp_path)
    expected = [0, *[1] * (not is_new), *[2] * (error is KeyboardInterrupt), 3]
    assert events[0].file_version and [event.step for event in events] == expected
