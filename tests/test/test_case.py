"""tf.test.TestCase: sessions, seeds, threads, streams, files."""

import os
import subprocess
import sys

import numpy as np
import pytest

import tfcore as tf


class Sessions(tf.test.TestCase):
    def test_each_test_has_an_empty_graph(self):
        self.assertEmpty(tf.get_default_graph().get_operations())
        tf.constant(1.0)

    test_each_test_has_an_empty_graph_again = test_each_test_has_an_empty_graph

    def test_seeds(self):
        self.assertEqual(tf.get_default_graph().seed, 87654321)
        first = np.random.rand()
        self.setUp()
        self.assertEqual(np.random.rand(), first)

    def test_session_uses_the_default_graph(self):
        c = tf.constant(3.0)
        with self.session() as session:
            self.assertIs(session.graph, c.graph)
            self.assertEqual(c.eval(), 3.0)
        with pytest.raises(RuntimeError, match="closed"):
            session.run(c)

    def test_session_on_another_graph(self):
        graph = tf.Graph()
        with self.session(graph=graph) as session:
            self.assertIs(tf.get_default_graph(), graph)
            self.assertIs(tf.get_default_session(), session)

    def test_cached_session_is_the_same(self):
        with self.cached_session() as first:
            v = tf.Variable(1.0)
            first.run(v.initializer)
        with self.cached_session() as second:
            self.assertIs(first, second)
            self.assertEqual(v.eval(), 1.0)
        with pytest.raises(ValueError, match="The config used to get the cached session is different"):
            with self.cached_session(config=tf.ConfigProto()):
                pass
        with pytest.raises(ValueError, match="The graph used to get the cached session is different"):
            with self.cached_session(graph=tf.Graph()):
                pass

    def test_operations_can_be_kept_on_the_processor(self):
        with self.session(use_gpu=False):
            self.assertEqual(tf.constant(1).device, "/device:CPU:0")

    def test_evaluate(self):
        self.assertEqual(self.evaluate({"a": tf.constant(1), "b": [tf.constant(2)]}), {"a": 1, "b": [2]})
        sparse = tf.SparseTensor([[0]], [1.0], [2])
        self.assertAllEqual(self.evaluate([sparse])[0].values, [1.0])


class Machine(tf.test.TestCase):
    def test_files(self):
        self.assertEqual(self.get_temp_dir(), self.get_temp_dir())
        self.assertStartsWith(self.get_temp_dir(), tf.test.get_temp_dir())
        self.assertTrue(os.path.isdir(self.get_temp_dir()))

    def test_threads(self):
        seen = []
        thread = self.checkedThread(seen.append, args=(1,))
        thread.start()
        thread.join()
        self.assertEqual(seen, [1])
        self.assertFalse(thread.is_alive())

    def test_a_threads_error_fails_the_test(self):
        def fail():
            raise ValueError("inside")

        thread = self.checkedThread(fail)
        thread.start()
        with pytest.raises(AssertionError, match="Error in checkedThread: inside"):
            thread.join()

    def test_streams(self):
        with self.captureWritesToStream(sys.__stderr__) as captured:
            os.write(2, b"from the system\n")
            print("from Python", file=sys.__stderr__)
            self.assertIn("from the system\n", captured.contents())
        self.assertEqual(captured.contents(), "from the system\nfrom Python\n")

    @tf.test.disable_with_predicate(lambda: False, "reason")
    def test_not_skipped(self):
        self.assertTrue(tf.test.is_built_with_gpu_support())


def test_a_predicate_skips():
    class Case(tf.test.TestCase):
        @tf.test.disable_with_predicate(lambda: True, "reason")
        def test_skipped(self):
            raise AssertionError("not skipped")

    assert [reason for _, reason in Case("test_skipped").run().skipped] == ["reason"]


def test_a_thread_must_be_joined():
    class Case(tf.test.TestCase):
        def test_forgets(self):
            self.checkedThread(int).start()

    result = Case("test_forgets").run()
    assert len(result.failures) == 1 and "A checked thread was not joined." in result.failures[0][1]


def test_the_method_test_session_is_not_a_test():
    with tf.Graph().as_default():
        pass
    result = tf.test.TestCase("test_session").run()
    assert [reason for _, reason in result.skipped] == ["Not a test."]


def test_environment(monkeypatch):
    import platform

    assert tf.test.is_cpu_target_available(platform.machine()) and not tf.test.is_cpu_target_available("z80")
    assert tf.test.is_built_with_cuda() and not tf.test.is_built_with_rocm() and not tf.test.is_built_with_xla()
    assert tf.test.mock.patch and tf.test.with_eager_op_as_function(int) is int
    assert tf.test.with_eager_op_as_function(only_as_function=True)(int) is int
    monkeypatch.setenv("TEST_SRCDIR", "/a")
    monkeypatch.setenv("TEST_WORKSPACE", "b")
    assert tf.test.test_src_dir_path("c/d") == "/a/b/tensorflow/c/d"
    assert isinstance(tf.test.benchmark_config(), tf.ConfigProto)


# ---- Stubs


class Base:
    value = 1

    @staticmethod
    def static():
        return "old"


class Derived(Base):
    pass


def test_stubs():
    stubs = tf.test.StubOutForTesting()
    stubs.Set(Derived, "value", 2)
    stubs.Set(Derived, "value", 3)
    assert (Base.value, Derived.value) == (1, 3)
    stubs.SmartSet(Derived(), "static", staticmethod(lambda: "new"))
    assert Base.static() == Derived().static() == "new"
    stubs.CleanUp()
    assert (Derived.value, Base.static(), Derived().static()) == (1, "old", "old")
    with pytest.raises(AttributeError, match="Attribute not found."):
        stubs.SmartSet(Derived, "nothing", 1)
    with pytest.raises(AttributeError):
        stubs.Set(Derived, "nothing", 1)


def test_stubs_of_objects_and_modules():
    thing = Derived()
    thing.own = 5
    with tf.test.StubOutForTesting() as stubs:
        stubs.SmartSet(thing, "own", 6)
        stubs.SmartSet(os.path, "exists", lambda path: path)
        assert thing.own == 6 and os.path.exists("x") == "x"
    assert thing.own == 5 and os.path.exists("/")


def test_stubs_of_what_is_inherited():
    class Base:
        __slots__ = ("slot", "__dict__")

        @staticmethod
        def static():
            return "static"

        @classmethod
        def of_class(cls):
            return cls.__name__

    class Derived(Base):
        pass

    thing = Derived()
    thing.slot = 1
    with tf.test.StubOutForTesting() as stubs:
        stubs.Set(Derived, "static", lambda self: 1)
        stubs.Set(Derived, "of_class", lambda self: 2)
        stubs.Set(thing, "of_class", lambda: 3)
        stubs.Set(thing, "slot", 4)
        assert (thing.static(), thing.of_class(), Derived().of_class(), thing.slot) == (1, 3, 2, 4)
        Base.of_class = classmethod(lambda cls: "new")
    assert thing.static() == "static" and thing.of_class() == Derived.of_class() == "new"
    assert thing.slot == 1 and vars(thing) == {} and "static" not in vars(Derived)


# ---- GraphDefs


def graph_def(build):
    with tf.Graph().as_default() as graph:
        build()
    return graph.as_graph_def()


def test_equal_graphs():
    def build():
        a = tf.constant(1.0, name="a")
        b = tf.constant(2.0, name="b")
        with tf.control_dependencies([a, b]):
            tf.no_op(name="c")

    first, second = graph_def(build), graph_def(build)
    second.node.sort(key=lambda node: node.name, reverse=True)
    second.node[0].input[:] = reversed(second.node[0].input)
    second.versions.producer = 21
    tf.test.assert_equal_graph_def(first, second)
    with pytest.raises(TypeError, match="Expected tf.GraphDef for actual, got int"):
        tf.test.assert_equal_graph_def(1, first)


@pytest.mark.parametrize(
    "build, text",
    [
        (lambda: tf.constant(2.0, name="a"), "Node named 'a' has for attr 'value' value"),
        (lambda: tf.constant(1, name="a"), "Node named 'a' has for attr 'dtype' value"),
        (lambda: tf.placeholder(tf.float32, name="a"), "Node named 'a' has op 'Placeholder' that is not the expected"),
        (lambda: tf.constant(1.0, name="b"), "Found unexpected node '{{node b}} = Const()'"),
        (lambda: None, "Did not find expected node '{{node a}} = Const()'"),
    ],
)
def test_different_graphs(build, text):
    with pytest.raises(AssertionError) as caught:
        tf.test.assert_equal_graph_def(graph_def(build), graph_def(lambda: tf.constant(1.0, name="a")))
    assert text in str(caught.value)


def test_a_forked_process_leaves_the_temporary_folder():
    program = """
import os, sys
import tfcore as tf
folder = tf.test.get_temp_dir()
child = os.fork()
if child == 0:
    sys.exit()
os.waitpid(child, 0)
print(os.path.isdir(folder), folder)
"""
    found, folder = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.split()
    assert found == "True" and not os.path.exists(folder)
