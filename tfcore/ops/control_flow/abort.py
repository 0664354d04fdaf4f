"""The op that ends the process."""

from tfcore.framework.definitions.op_def import define_op

Abort = define_op(
    "Abort",
    attrs=["error_msg: string = ''", "exit_without_error: bool = false"],
    doc="Ends the process, with a message on standard error: by abort(), or with the exit status 0.",
)
