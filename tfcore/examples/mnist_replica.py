"""Handwritten digits on several processes: every worker builds the same graph and trains on its share of each batch.

    mpirun -n 3 python -m tfcore.examples.mnist_replica --ps 1
        variables on one parameter server; two workers train asynchronously until the step count is reached
    mpirun -n 2 python -m tfcore.examples.mnist_replica --sync allreduce
        no server: each worker has its own variables; their gradients are averaged in every step
    mpirun -n 4 python -m tfcore.examples.mnist_replica --sync replicas --backup 1
        variables on one parameter server; each step applies the first two gradients of three workers, so that one of
        them may be slow or stopped
    python -m tfcore.examples.mnist_replica --replicas-in-one 2
        one process that computes the same as the second command

The models, --data and --download are those of tfcore.examples.mnist.
"""

import contextlib
import time

import tfcore as tf
from tfcore.examples.language import clipped_training
from tfcore.examples.mnist import MODELS, add_model, at_least_1, evaluate, load, make_parser


class Clipped:
    """Clips gradients for asynchronous workers: a large, stale gradient, with momentum, may derail the training."""

    LIMIT = 1.0

    def __init__(self, optimizer):
        self.optimizer = optimizer

    def minimize(self, loss, global_step):
        return clipped_training(self.optimizer, loss, self.LIMIT, global_step)


class Replica:
    """One of `count` workers, which train asynchronously: its share of the work, and how it starts."""

    def __init__(self, index, count):
        self.index, self.count = index, count
        self.is_chief = index == 0

    def wrap(self, optimizer):
        return Clipped(optimizer) if self.count > 1 else optimizer

    def next_batch(self, data, size):
        """This worker's rows of the next joint batch, which is the same for all workers."""
        images, labels = data.next_batch(size * self.count)
        rows = slice(size * self.index, size * (self.index + 1))
        return images[rows], labels[rows]

    def common_loss(self, loss):
        """The loss of the joint batch if all workers make the same steps, else of this worker's share."""
        return loss

    def common_step(self, model):
        """The number of steps of all workers, after a step of this one."""
        return model.global_step

    def prepare(self):
        """Adds what a session needs at its start to the graph, when the model is complete."""
        self.initialize, self.missing = tf.global_variables_initializer(), tf.report_uninitialized_variables()

    @contextlib.contextmanager
    def session(self, target):
        """A session in which all variables are initialized."""
        with tf.Session(target) as sess:
            self.start(sess)
            yield sess

    def start(self, sess):
        if self.is_chief:
            sess.run(self.initialize)
        while sess.run(self.missing).size:  # until the chief has initialized them
            time.sleep(0.02)


class Averaging(Replica):
    """One of `count` workers that average the gradients of each step."""

    def wrap(self, optimizer):
        return tf.train.AllreduceOptimizer(optimizer)

    def common_loss(self, loss):
        return tf.distributed.allreduce(loss, "mean")

    def prepare(self):
        super().prepare()
        self.agree = tf.distributed.broadcast_variables()

    def start(self, sess):
        sess.run(self.initialize)
        sess.run(self.agree)


class Synchronized(Replica):
    """One of `count` workers. In each step the first gradients win, of all workers but `backup`."""

    def __init__(self, index, count, backup):
        super().__init__(index, count)
        self.backup = backup

    def wrap(self, optimizer):
        self.optimizer = tf.train.SyncReplicasOptimizer(optimizer, self.count - self.backup, self.count)
        return self.optimizer

    def common_step(self, model):
        return model.train_step  # the step from which this worker continues

    def prepare(self):
        self.hook = self.optimizer.make_session_run_hook(self.is_chief)

    def session(self, target):
        return tf.train.MonitoredTrainingSession(target, self.is_chief, hooks=[self.hook])


class InOne(Replica):
    """All replicas in one process, which takes the joint batch."""

    def __init__(self, count):
        super().__init__(0, count)

    def wrap(self, optimizer):
        return optimizer

    def next_batch(self, data, size):
        return data.next_batch(size * self.count)


def train(sess, model, loss, replica, mnist, arguments, is_shared):
    """Runs steps; returns this worker's losses if they are requested, and its number of steps.

    is_shared: whether workers share the variables, so that the steps of all workers count.
    """
    _, steps, size, keep_prob = settings(arguments)
    fetches = {"train": model.train_step}
    if is_shared:
        fetches["step"] = replica.common_step(model)
    if arguments.log_losses:
        fetches["loss"] = loss
    losses, made, done = [], 0, sess.run(model.global_step)
    while done < steps:
        images, labels = replica.next_batch(mnist.train, size)
        got = sess.run(fetches, model.feed(images, labels, keep_prob))
        made += 1
        done = got.get("step", made)
        if "loss" in got:
            losses.append(float(got["loss"]))
    return losses, made


def run_worker(arguments, replica, name="worker 0", target="", device=None):
    """Builds the graph, trains, and returns the accuracy on the test set if this is the chief."""
    mnist, source = load(arguments)
    if replica.is_chief:
        print(f"{arguments.model} on {source}: {mnist.train.num_examples} training images", flush=True)
    build, steps, size, _ = settings(arguments)
    with tf.Graph().as_default(), tf.device(device):
        tf.set_random_seed(arguments.seed + replica.index)  # for different dropout; initial values are the chief's
        model = build(steps, replica.wrap)
        loss = replica.common_loss(model.loss)
        replica.prepare()
        with replica.session(target) as sess:
            began = time.perf_counter()
            losses, made = train(sess, model, loss, replica, mnist, arguments, is_shared=callable(device))
            rate = made / (time.perf_counter() - began)
            print(f"{name}: {made} steps of {size} images, {rate:.0f} steps/s", flush=True)
            if not replica.is_chief:
                return None
            accuracy = evaluate(sess, model, mnist.test)
    if arguments.log_losses:
        with open(arguments.log_losses, "w") as file:
            file.writelines(f"{loss:.9g}\n" for loss in losses)
    print(f"test accuracy: {accuracy:.2%}", flush=True)
    return accuracy


def run_task(arguments):
    """Runs the task of this process in the cluster that mpirun started."""
    cluster = cluster_of(arguments)
    server = tf.train.Server(cluster)
    if cluster.job_name == "ps":
        server.join()
    replica = replica_of(arguments, cluster)
    device = f"/job:worker/task:{replica.index}"
    if arguments.sync != "allreduce":
        device = tf.train.replica_device_setter(cluster=cluster, worker_device=device)
    return run_worker(arguments, replica, f"worker {replica.index}", server.target, device)


def cluster_of(arguments):
    """The cluster; exits if its workers have nothing to share."""
    cluster = tf.train.ClusterSpec.from_mpi(ps=arguments.ps)
    if arguments.sync == "replicas" and "ps" not in cluster.jobs and arguments.ps is None:
        cluster = tf.train.ClusterSpec.from_mpi(ps=1)
    workers = cluster.num_tasks("worker")
    if "ps" not in cluster.jobs and (arguments.sync == "replicas" or workers > 1 and arguments.sync == "none"):
        raise SystemExit("workers need a parameter server (--ps 1) or --sync allreduce")
    if not arguments.backup < workers:
        raise SystemExit(f"--backup {arguments.backup} leaves none of {workers} workers")
    return cluster


def replica_of(arguments, cluster):
    index, count = cluster.task_index, cluster.num_tasks("worker")
    if arguments.sync == "replicas":
        return Synchronized(index, count, arguments.backup)
    return Averaging(index, count) if arguments.sync == "allreduce" else Replica(index, count)


def settings(arguments):
    """(model function, steps, images per worker and step, keep probability of dropout)."""
    build, steps, size, keep_prob = MODELS[arguments.model]
    given = (arguments.steps, arguments.batch_size, arguments.keep_prob)
    return build, *(mine if mine is not None else usual for mine, usual in zip(given, (steps, size, keep_prob)))


def parse_arguments(argv):
    parser = make_parser("mnist_replica", __doc__)
    add_model(parser)
    parser.add_argument("--ps", type=int, metavar="P", help="number of parameter servers among the processes")
    parser.add_argument(
        "--sync", choices=["none", "allreduce", "replicas"], default="none", help="synchronization of workers"
    )
    parser.add_argument(
        "--backup", type=int, metavar="B", default=0, help="workers whose gradients are not needed (--sync replicas)"
    )
    parser.add_argument("--batch-size", type=at_least_1, metavar="B", help="images per worker and step")
    parser.add_argument("--keep-prob", type=float, metavar="P", help="keep probability of dropout; 1 to compare runs")
    parser.add_argument("--log-losses", metavar="FILE", help="the chief writes the loss of each step, one per line")
    parser.add_argument(
        "--replicas-in-one", type=at_least_1, metavar="N", help="no cluster: the batch of N workers in one process"
    )
    arguments = parser.parse_args(argv)
    if arguments.backup < 0 or (arguments.backup and arguments.sync != "replicas"):
        parser.error("argument --backup: must not be negative, and needs --sync replicas")
    return arguments


def main(argv=None):
    """Trains; returns the accuracy on the test set in the chief's process, None in others."""
    arguments = parse_arguments(argv)
    if arguments.replicas_in_one is not None:
        return run_worker(arguments, InOne(arguments.replicas_in_one))
    return run_task(arguments)


if __name__ == "__main__":
    main()
