"""Tables of `tf.lookup` and `tf.contrib.lookup`: static ones and how they are initialized, and mutable ones."""

from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.functions.func_graph import init_scope
from tfcore.framework.graph.graph import GraphKeys, add_to_collection, colocate_with, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor


class LookupInterface:
    """Base class of tables.

    Args:
      key_dtype: Type of the keys.
      value_dtype: Type of the values.
    """

    def __init__(self, key_dtype, value_dtype):
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)

    @property
    def key_dtype(self):
        """Type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self):
        """Type of the values."""
        return self._value_dtype

    @property
    def name(self):
        """Name of the table."""
        raise NotImplementedError

    def size(self, name=None):
        """The number of entries.

        Args:
          name: Name of the operation (optional).

        Returns:
          A `Tensor`, a scalar.
        """
        raise NotImplementedError

    def lookup(self, keys, name=None):
        """The values of keys.

        Args:
          keys: A `Tensor`, or a SparseTensor.
          name: Name of the operation (optional).

        Returns:
          The same kind of tensor with the values.
        """
        raise NotImplementedError

    def __getitem__(self, keys):
        """The values of keys."""
        return self.lookup(keys)

    def _look_up(self, keys, found):
        """found(tensor of keys) for a `Tensor` or `SparseTensor`; as sparse as the keys. TypeError: of another type."""
        sparse = isinstance(keys, SparseTensor)
        values = keys.values if sparse else keys
        if values.dtype.base_dtype != self._key_dtype:
            raise TypeError(f"Signature mismatch. Keys must be dtype {self._key_dtype}, got {values.dtype}.")
        result = found(values)
        return SparseTensor(keys.indices, result, keys.dense_shape) if sparse else result


class _Table(LookupInterface):
    """A table with a handle."""

    def __init__(self, key_dtype, value_dtype, default_value, handle):
        super().__init__(key_dtype, value_dtype)
        self._default_value = default_value
        self._resource_handle = handle
        self._table_name = handle.op.name.split("/")[-1]

    @property
    def resource_handle(self):
        """The handle."""
        return self._resource_handle

    @property
    def name(self):
        """The last part of the name of the operation that makes the handle."""
        return self._table_name

    def _scope(self, name, what, *values):
        return name_scope(name, f"{self.name}_{what}", [self._resource_handle, *values])

    def _op(self, kind, *inputs, **attrs):
        with colocate_with(self._resource_handle):
            return get_op_def(f"LookupTable{kind}V2")(self._resource_handle, *inputs, **attrs)

    def size(self, name=None):
        """The number of entries.

        Args:
          name: Name of the operation (optional).

        Returns:
          A scalar `Tensor` of type int64.
        """
        with self._scope(name, "Size"):
            return self._op("Size")

    def export(self, name=None):
        """All entries.

        Args:
          name: Name of the operation (optional).

        Returns:
          A tuple (keys, values) of `Tensor`s.
        """
        with self._scope(name, "Export"):
            keys, values = self._op("Export", Tkeys=self._key_dtype, Tvalues=self._value_dtype)
            if keys.shape.rank == 1:
                values.set_shape(keys.shape.concatenate(self._default_value.shape))
            return keys, values


# ---- Static tables


class InitializableLookupTableBase(_Table):
    """Base class of tables that an initializer fills.

    Args:
      default_value: What the table returns for keys that it lacks.
      initializer: A `TableInitializerBase`.
      handle: The handle.
    """

    def __init__(self, default_value, initializer, handle):
        default_value = convert_to_tensor(default_value, dtype=initializer.value_dtype)
        default_value.shape.assert_is_compatible_with(TensorShape([]))
        super().__init__(initializer.key_dtype, initializer.value_dtype, default_value, handle)
        with init_scope():
            self._init_op = initializer.initialize(self)

    @property
    def default_value(self):
        """What the table returns for keys that it lacks."""
        return self._default_value

    @property
    def initializer(self):
        """The `Operation` that fills the table."""
        return self._init_op

    @property
    def init(self):
        """The `Operation` that fills the table."""
        return self._init_op

    def lookup(self, keys, name=None):
        """The values of keys; the default value for those that the table lacks.

        Args:
          keys: A `Tensor` or `SparseTensor` of the keys' type.
          name: Name of the operation (optional).

        Returns:
          A `Tensor` of the shape of `keys`, or a `SparseTensor`. The operation fails with FailedPreconditionError if
          the table is not initialized.

        Raises:
          TypeError: `keys` has another type.
        """
        return self._look_up(keys, lambda values: self._found(values, name))

    def _found(self, values, name):
        with self._scope(name, "Lookup", values, self._default_value):
            found = self._op("Find", values, self._default_value)
        found.set_shape(values.shape)
        return found


class StaticHashTable(InitializableLookupTableBase):
    """A table that is filled once, by its `initializer` or `tf.tables_initializer()`.

    Args:
      initializer: A `KeyValueTensorInitializer` or `TextFileInitializer`.
      default_value: What the table returns for keys that it lacks, a scalar.
      name: Name of the operation that makes the handle.
    """

    def __init__(self, initializer, default_value, name=None):
        with init_scope():
            handle = get_op_def("HashTableV2")(
                shared_name=initializer._shared_name,
                key_dtype=initializer.key_dtype,
                value_dtype=initializer.value_dtype,
                name=name or "hash_table",
            )
        super().__init__(default_value, initializer, handle)


class HashTable(StaticHashTable):
    """`StaticHashTable` with the arguments of `tf.contrib.lookup.HashTable`.

    Args:
      initializer: A `KeyValueTensorInitializer` or `TextFileInitializer`.
      default_value: What the table returns for keys that it lacks, a scalar.
      shared_name: Name under which all sessions of a task share the table.
      name: Name of the operation that makes the handle.
    """

    def __init__(self, initializer, default_value, shared_name=None, name="hash_table"):
        if shared_name:
            initializer._shared_name = shared_name
        super().__init__(initializer, default_value, name)


class TableInitializerBase:
    """Base class of what fills a static table.

    Args:
      key_dtype: Type of the keys.
      value_dtype: Type of the values.
    """

    _shared_name = ""

    def __init__(self, key_dtype, value_dtype):
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)

    @property
    def key_dtype(self):
        """Type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self):
        """Type of the values."""
        return self._value_dtype

    def initialize(self, table):
        """Adds the operation that fills a table, also to the collection of table initializers.

        Args:
          table: A `StaticHashTable`.

        Returns:
          The `Operation`.

        Raises:
          TypeError: The table has other types.
        """
        for what, wanted, found in (
            ("key", table.key_dtype, self._key_dtype),
            ("value", table.value_dtype, self._value_dtype),
        ):
            if found.base_dtype != wanted:
                raise TypeError(f"Invalid {what} dtype, expected {wanted} but got {found}.")
        made = self._fill(table)
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, made)
        return made


class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a static table with given entries.

    Args:
      keys: A vector.
      values: A vector of the same length.
      key_dtype: Type of the keys (optional).
      value_dtype: Type of the values (optional).
      name: Name of the operation.

    Raises:
      tf.errors.InvalidArgumentError: When run: there are no keys.
      tf.errors.FailedPreconditionError: When run: a key has two values.
    """

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        self._name = name or "key_value_init"
        with init_scope():
            self._keys = convert_to_tensor(keys, dtype=key_dtype, name="keys")
            self._values = convert_to_tensor(values, dtype=value_dtype, name="values")
        super().__init__(self._keys.dtype.base_dtype, self._values.dtype.base_dtype)

    def _fill(self, table):
        with name_scope(self._name, values=[table.resource_handle, self._keys, self._values]):
            return table._op("Import", self._keys, self._values)


class TextFileIndex:
    """What part of a line of a file a key or value is, apart from a column."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(TableInitializerBase):
    """Fills a static table from the lines of a file.

    Args:
      filename: A string or a scalar `Tensor` of type string.
      key_dtype: Type of the keys.
      key_index: The column with the key, from 0, or a constant of `TextFileIndex`.
      value_dtype: Type of the values.
      value_index: The column with the value, or a constant of `TextFileIndex`.
      vocab_size: The number of lines to read. None: all.
      delimiter: A single character between columns.
      name: Name of the operation.

    Raises:
      ValueError: An argument is invalid, or a type does not fit what is read.
      tf.errors.NotFoundError: When run: there is no such file.
      tf.errors.OutOfRangeError: When run: the file has no lines.
      tf.errors.InvalidArgumentError: When run: it has fewer lines than `vocab_size`, or a malformed one.
      tf.errors.FailedPreconditionError: When run: a key has two values.
    """

    def __init__(
        self, filename, key_dtype, key_index, value_dtype, value_index, vocab_size=None, delimiter="\t", name=None
    ):
        if not isinstance(filename, Tensor) and not filename:
            raise ValueError(f"Filename required for {name}.")
        super().__init__(key_dtype, value_dtype)
        for what, index, dtype in (("Key", key_index, self._key_dtype), ("Value", value_index, self._value_dtype)):
            if index < -2:
                raise ValueError(f"Invalid {what.lower()} index {index}.")
            if index == TextFileIndex.LINE_NUMBER and dtype != dtypes.int64:
                raise ValueError(f"Signature mismatch. {what}s must be dtype {dtypes.int64}, got {dtype}.")
            if index == TextFileIndex.WHOLE_LINE and not dtype.is_integer and dtype != dtypes.string:
                raise ValueError(f"Signature mismatch. {what}s must be integer or string, got {dtype}.")
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"Invalid vocab_size {vocab_size}.")
        self._filename, self._name = filename, name
        self._attrs = {
            "key_index": key_index,
            "value_index": value_index,
            "vocab_size": -1 if vocab_size is None else vocab_size,
            "delimiter": delimiter,
        }
        size = f"_{vocab_size}" if vocab_size else ""
        columns = f"{key_index}_{value_index}" if delimiter == "\t" else f"{key_index}_{value_index}_{delimiter}"
        types = f"{self._key_dtype.name}_{self._value_dtype.name}"
        self._shared_name = f"hash_table_{self._file_text()}{size}_{columns}_{types}"  # all that decides its contents

    def _file_text(self):
        return self._filename.name if isinstance(self._filename, Tensor) else self._filename

    def _fill(self, table):
        with name_scope(self._name, "text_file_init", [table.resource_handle]):
            filename = convert_to_tensor(self._filename, dtypes.string, name="asset_filepath")
            made = get_op_def("InitializeTableFromTextFileV2")(table.resource_handle, filename, **self._attrs)
        if constant_value(filename) is not None:
            add_to_collection(GraphKeys.ASSET_FILEPATHS, filename)
        return made


class TextFileStringTableInitializer(TextFileInitializer):
    """Fills a static table from numbers of lines to strings.

    Args:
      filename: A string or a scalar `Tensor` of type string.
      key_column_index: The column with the key, or a constant of `TextFileIndex`.
      value_column_index: The column with the value, or a constant of `TextFileIndex`.
      vocab_size: The number of lines to read. None: all.
      delimiter: A single character between columns.
      name: Name of the operation.
    """

    def __init__(
        self,
        filename,
        key_column_index=TextFileIndex.LINE_NUMBER,
        value_column_index=TextFileIndex.WHOLE_LINE,
        vocab_size=None,
        delimiter="\t",
        name="text_file_string_table_init",
    ):
        super().__init__(
            filename, dtypes.int64, key_column_index, dtypes.string, value_column_index, vocab_size, delimiter, name
        )


class TextFileIdTableInitializer(TextFileInitializer):
    """Fills a static table from strings to numbers of lines.

    Args:
      filename: A string or a scalar `Tensor` of type string.
      key_column_index: The column with the key, or a constant of `TextFileIndex`.
      value_column_index: The column with the value, or a constant of `TextFileIndex`.
      vocab_size: The number of lines to read. None: all.
      delimiter: A single character between columns.
      name: Name of the operation.
      key_dtype: Type of the keys.
    """

    def __init__(
        self,
        filename,
        key_column_index=TextFileIndex.WHOLE_LINE,
        value_column_index=TextFileIndex.LINE_NUMBER,
        vocab_size=None,
        delimiter="\t",
        name="text_file_id_table_init",
        key_dtype=dtypes.string,
    ):
        super().__init__(
            filename, key_dtype, key_column_index, dtypes.int64, value_column_index, vocab_size, delimiter, name
        )


# ---- Mutable tables


class _ChangingTable(_Table):
    def __init__(self, key_dtype, value_dtype, default_value, handle, checkpoint):
        super().__init__(key_dtype, value_dtype, default_value, handle)
        self._checkpoint = checkpoint

    @property
    def _is_lost_by_checkpoints(self):  # for variables/trackable.py
        return bool(self._checkpoint)

    def lookup(self, keys, name=None):
        """The values of keys; the default value for those that the table lacks.

        Args:
          keys: A `Tensor` of the keys' type.
          name: Name of the operation (optional).

        Returns:
          A `Tensor`: for each key its value. Its shape is that of `keys` followed by that of a value; vectors as keys
          (`MutableDenseHashTable`) are the rows of `keys`.
        """
        with self._scope(name, "lookup_table_find", self._default_value):
            keys = convert_to_tensor(keys, dtype=self._key_dtype, name="keys")
            return self._op("Find", keys, self._default_value)

    def insert(self, keys, values, name=None):
        """Adds entries, or replaces the values of keys.

        Args:
          keys: A `Tensor` of the keys' type.
          values: A `Tensor` of the values' type: for each key its value.
          name: Name of the operation (optional).

        Returns:
          The `Operation`.
        """
        with self._scope(name, "lookup_table_insert"):
            keys = convert_to_tensor(keys, dtype=self._key_dtype, name="keys")
            values = convert_to_tensor(values, dtype=self._value_dtype, name="values")
            return self._op("Insert", keys, values)

    def remove(self, keys, name=None):
        """Removes the entries of keys, if there are any.

        Args:
          keys: A `Tensor` of the keys' type.
          name: Name of the operation (optional).

        Returns:
          The `Operation`.

        Raises:
          TypeError: `keys` has another type.
        """
        keys = convert_to_tensor(keys)
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError(f"Signature mismatch. Keys must be dtype {self._key_dtype}, got {keys.dtype}.")
        with self._scope(name, "lookup_table_remove", keys):
            return self._op("Remove", keys)


class MutableHashTable(_ChangingTable):
    """A table that may change.

    Args:
      key_dtype: Type of the keys.
      value_dtype: Type of the values.
      default_value: What the table returns for keys that it lacks: a scalar, or a vector if the values are vectors.
      shared_name: Name under which all sessions of a task share the table.
      name: Name of the operation that makes the handle.
      checkpoint: Whether checkpoints should have the table. None saves it yet: a `Saver` leaves it out, and
        `tf.train.Checkpoint` raises an error if this is true.
    """

    def __init__(
        self, key_dtype, value_dtype, default_value, shared_name=None, name="MutableHashTable", checkpoint=True
    ):
        default_value = convert_to_tensor(default_value, dtype=value_dtype)
        attrs = {"shared_name": shared_name or "", "key_dtype": key_dtype, "value_dtype": value_dtype}
        attrs["use_node_name_sharing"] = bool(checkpoint and shared_name is None)
        if default_value.shape.rank == 0:
            handle = get_op_def("MutableHashTableV2")(**attrs, name=name)
        else:
            handle = get_op_def("MutableHashTableOfTensorsV2")(**attrs, value_shape=default_value.shape, name=name)
        super().__init__(key_dtype, value_dtype, default_value, handle, checkpoint)


class MutableDenseHashTable(_ChangingTable):
    """A table that may change, whose keys are scalars or vectors.

    Unlike in TensorFlow its size has no effect on its exported entries: these are without empty buckets.

    Args:
      key_dtype: Type of the keys.
      value_dtype: Type of the values.
      default_value: What the table returns for keys that it lacks: a scalar, or a vector if the values are vectors.
      empty_key: A key that is never used: a scalar, or a vector if the keys are vectors.
      deleted_key: Another one.
      initial_num_buckets: A power of two, as TensorFlow requires; it has no effect.
      shared_name: Name under which all sessions of a task share the table.
      name: Name of the operation that makes the handle.
      checkpoint: Whether checkpoints should have the table. None saves it yet: a `Saver` leaves it out, and
        `tf.train.Checkpoint` raises an error if this is true.
    """

    def __init__(
        self,
        key_dtype,
        value_dtype,
        default_value,
        empty_key,
        deleted_key,
        initial_num_buckets=None,
        shared_name=None,
        name="MutableDenseHashTable",
        checkpoint=True,
    ):
        default_value = convert_to_tensor(default_value, dtype=value_dtype, name="default_value")
        attrs = {} if initial_num_buckets is None else {"initial_num_buckets": initial_num_buckets}
        handle = get_op_def("MutableDenseHashTableV2")(
            convert_to_tensor(empty_key, dtype=key_dtype, name="empty_key"),
            convert_to_tensor(deleted_key, dtype=key_dtype, name="deleted_key"),
            shared_name=shared_name or "",
            use_node_name_sharing=bool(checkpoint and shared_name is None),
            value_dtype=value_dtype,
            value_shape=default_value.shape,
            name=name,
            **attrs,
        )
        super().__init__(key_dtype, value_dtype, default_value, handle, checkpoint)
