"""tf.train.warm_start: variables begin with the values of a checkpoint, those of vocabularies row by row."""

import collections
import re

import numpy as np

from tfcore.framework import errors
from tfcore.framework.graph.graph import GraphKeys, get_collection
from tfcore.io.checkpoint_reader import NewCheckpointReader
from tfcore.ops.array.array import reshape
from tfcore.ops.array.constants import zeros
from tfcore.ops.checkpoint.checkpoint import RestoreV2
from tfcore.ops.cwise.select import where
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.state import state
from tfcore.platform import io_gfile
from tfcore.train.checkpoints.checkpoint_utils import init_from_checkpoint, prefix_of
from tfcore.variables.variable_collections import trainable_variables
from tfcore.variables.variables import Variable

_FIELDS = "new_vocab new_vocab_size num_oov_buckets old_vocab old_vocab_size backup_initializer axis"


class VocabInfo(collections.namedtuple("VocabInfo", _FIELDS)):
    """Vocabularies of a variable, whose rows (or columns) belong to words: files with a word a line.

    Args:
      new_vocab: Path of the vocabulary of the variable.
      new_vocab_size: How many of its words are used.
      num_oov_buckets: Rows after those of the words, for words that are in no vocabulary.
      old_vocab: Path of the vocabulary of the checkpoint.
      old_vocab_size: How many of its words are used; all by default.
      backup_initializer: The initializer of new rows; zeros by default.
      axis: 0 if rows belong to words, 1 if columns do.

    Raises:
      ValueError: `axis` is something else.
    """

    __slots__ = ()

    def __new__(
        cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size=-1, backup_initializer=None, axis=0
    ):
        if axis not in (0, 1):
            raise ValueError(f"The only supported values for the axis argument are 0 and 1.  Provided axis: {axis}")
        return super().__new__(
            cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size, backup_initializer, axis
        )


def warm_start(
    ckpt_to_initialize_from, vars_to_warm_start=".*", var_name_to_vocab_info=None, var_name_to_prev_var_name=None
):
    """Makes the initializers of variables read a checkpoint.

    Args:
      ckpt_to_initialize_from: The checkpoint's prefix, or a folder.
      vars_to_warm_start: Which ones: a regular expression, or a list of them, for the names of trainable variables; a
        list of `Variable`s; None for those in `var_name_to_vocab_info` only.
      var_name_to_vocab_info: A dict from names to `VocabInfo`s.
      var_name_to_prev_var_name: A dict from names to names in the checkpoint, where they differ.

    Raises:
      ValueError: A name in a dict is none of these variables; the checkpoint lacks a variable, or one has another
        shape; a vocabulary does not fit the shape of its variable, or has fewer words than are used.
      tf.errors.NotFoundError: There is no such checkpoint or vocabulary.
      tf.errors.UnimplementedError: A partitioned variable has a vocabulary.
    """
    vocabularies = dict(var_name_to_vocab_info or {})
    previous = dict(var_name_to_prev_var_name or {})
    grouped = _grouped(".*" if vars_to_warm_start is None else vars_to_warm_start)
    for what, names in (("var_name_to_prev_var_name", previous), ("var_name_to_vocab_info", vocabularies)):
        unused = sorted(set(names) - set(grouped))
        if unused:
            raise ValueError(
                f"You provided the following variables in {what} that were not used: {unused}.  Perhaps you misspelled "
                f"them?  Here is the list of viable variable names: {sorted(grouped)}"
            )
    prefix = prefix_of(ckpt_to_initialize_from)
    for name, variables in grouped.items():
        if vars_to_warm_start is None and name not in vocabularies:
            continue
        source = previous.get(name, name)
        if name in vocabularies:
            if len(variables) > 1 or variables[0]._save_slice_info:
                raise errors.UnimplementedError(
                    None, None, f"{name}: warm_start with a vocabulary does not support partitioned variables"
                )
            _start_with_vocabulary(variables[0], vocabularies[name], prefix, source)
        else:
            single = len(variables) == 1 and not variables[0]._save_slice_info
            init_from_checkpoint(prefix, {source: variables[0] if single else variables})


def _grouped(wanted):
    """{name: [variable] or [parts]}"""
    if isinstance(wanted, str):
        found = trainable_variables(wanted)
    elif isinstance(wanted, list) and all(isinstance(v, Variable) for v in wanted):
        found = wanted
    elif isinstance(wanted, list) and all(isinstance(v, str) for v in wanted):
        everything = get_collection(GraphKeys.GLOBAL_VARIABLES)
        found = [v for v in everything if any(re.match(pattern, v.name) for pattern in wanted)]
    else:
        raise ValueError(
            f"If `vars_to_warm_start is a list, it must be all `Variable` or all `str`.  Given types are {wanted}"
        )
    result = {}
    for variable in found:
        result.setdefault(_name(variable), []).append(variable)
    return result


def _name(variable):
    return variable._save_slice_info.full_name if variable._save_slice_info else variable.op.name


def _words(path, size):
    """The lines of a file, as tables read them: only a newline ends one, and words need not be valid UTF-8."""
    with io_gfile.GFile(path, "rb") as file:
        words = file.read().split(b"\n")
    if not words[-1]:
        words.pop()  # what follows the last newline
    if size > len(words):
        raise ValueError(f"{path} has {len(words)} words, not {size}")
    return [word.removesuffix(b"\r") for word in (words[:size] if size >= 0 else words)]


def _start_with_vocabulary(variable, info, prefix, source):
    """Rows of words that the old vocabulary has come from the checkpoint, all others from an initializer."""
    rows = info.new_vocab_size + info.num_oov_buckets
    shape = variable.get_shape().as_list()
    if shape[info.axis] != rows:
        raise ValueError(
            f"Variable {variable.name} has shape {shape}, but its vocabulary makes {rows} along axis {info.axis}"
        )
    old = {word: i for i, word in enumerate(_words(info.old_vocab, info.old_vocab_size))}
    ids = [old.get(word, -1) for word in _words(info.new_vocab, info.new_vocab_size)]
    ids = np.array(ids + [-1] * (rows - len(ids)), np.int32)
    stored = NewCheckpointReader(prefix).get_variable_to_shape_map()
    if source not in stored:
        raise ValueError(f"Tensor {source} is not found in {prefix} checkpoint {stored}")
    with variable.graph.as_default():
        restored = reshape(RestoreV2(prefix, [source], [""], dtypes=[variable.dtype.base_dtype])[0], stored[source])
        kept = gather(restored, np.maximum(ids, 0), axis=info.axis)
        backup = info.backup_initializer(shape, dtype=variable.dtype.base_dtype) if info.backup_initializer else None
        backup = zeros(shape, variable.dtype.base_dtype) if backup is None else backup
        mask = np.expand_dims(ids >= 0, tuple(d for d in range(len(shape)) if d != info.axis))
        value = where(np.broadcast_to(mask, shape), kept, backup)
        initializer = state.assign(variable, value)
    variable._set_initial_value(value, initializer.op)
