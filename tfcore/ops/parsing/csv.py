"""DecodeCSV: records of text to columns."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient


def _csv_shape(op):
    for t in op.inputs[1:]:
        dims = shapes.with_rank_at_most(t.dims, 1)
        if dims and dims[0] is not None and dims[0] > 1:
            raise ValueError(f"Shape of a default must be a length-0 or length-1 vector, or a scalar, but is {dims}")
    return [op.inputs[0].dims] * len(op.outputs)


DecodeCSV = define_op(
    "DecodeCSV",
    inputs=["records: string", "record_defaults: OUT_TYPE"],
    outputs=["output: OUT_TYPE"],
    attrs=[
        "OUT_TYPE: list({float, double, int32, int64, string}) >= 1",
        "field_delim: string = ','",
        "use_quote_delim: bool = true",
        "na_value: string = ''",
        "select_cols: list(int) = []",
    ],
    shape=_csv_shape,
    doc="Records of text to columns, one tensor for each.",
)
undefined_gradient("DecodeCSV")


def decode_csv(
    records, record_defaults, field_delim=",", use_quote_delim=True, name=None, na_value="", select_cols=None
):
    """Converts records of comma-separated values to one tensor for each column.

    Spaces around numbers are ignored. A field in double quotes may contain delimiters, line ends and, doubled, quotes.

    Args:
      records: A `Tensor` of type string; each string is a record.
      record_defaults: A list of `Tensor`s, one for each column: its type, and a scalar for records in which the field
        is empty, or an empty vector if it must not be. Types: float32, float64, int32, int64 or string.
      field_delim: The character between fields.
      use_quote_delim: Whether double quotes around a field have a meaning.
      name: Name of the operation (optional).
      na_value: A further text that stands for an empty field.
      select_cols: Increasing list of the places of the columns, if others are to be left out.

    Returns:
      A list of `Tensor`s of the shape of `records`, of the types of the defaults.

    Raises:
      ValueError: `select_cols` is not increasing, or not as long as `record_defaults`.
      tf.errors.InvalidArgumentError: At run time, a record has another number of fields, a field is missing or not a
        number of the column's type, or quotes are wrong.

    Example:

    >>> numbers, words = tf.decode_csv(['1,"a, b"', ',c'], [[0], [""]])
    >>> print(sess.run([numbers, words]))
    [array([1, 0], dtype=int32), array([b'a, b', b'c'], dtype=object)]
    """
    if select_cols is not None:
        if any(a >= b for a, b in zip(select_cols, select_cols[1:])):
            raise ValueError("select_cols is not strictly increasing.")
        if select_cols[0] < 0:
            raise ValueError("select_cols contains negative values.")
        if len(select_cols) != len(record_defaults):
            raise ValueError("Length of select_cols and record_defaults do not match.")
    return DecodeCSV(
        records,
        record_defaults,
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        select_cols=select_cols or [],
        name=name,
    )
