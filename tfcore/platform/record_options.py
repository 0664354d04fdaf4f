"""How files of records are compressed."""

import zlib


class TFRecordCompressionType:
    """How the records of a file are compressed."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


class TFRecordOptions:
    """How a file of records is compressed.

    Args:
      compression_type: "ZLIB", "GZIP", "" (not compressed), or a `TFRecordCompressionType`.
      flush_mode: What `TFRecordWriter.flush` does with compressed data, one of zlib's constants. By default readers see
        all records that were written before.
      input_buffer_size: Accepted, without effect.
      output_buffer_size: Accepted, without effect.
      window_bits: zlib's: how far back, as a power of two, copies may refer.
      compression_level: 0 to 9, from fast to small; or None.
      compression_method: Accepted, without effect.
      mem_level: zlib's: 1 to 9, how much memory is used.
      compression_strategy: One of zlib's constants.

    Raises:
      ValueError: `compression_type` is not valid.
    """

    compression_type_map = {
        TFRecordCompressionType.ZLIB: "ZLIB",
        TFRecordCompressionType.GZIP: "GZIP",
        TFRecordCompressionType.NONE: "",
    }

    def __init__(
        self,
        compression_type=None,
        flush_mode=None,
        input_buffer_size=None,
        output_buffer_size=None,
        window_bits=None,
        compression_level=None,
        compression_method=None,
        mem_level=None,
        compression_strategy=None,
    ):
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options):
        """The name of a compression: "", "ZLIB" or "GZIP".

        Args:
          options: A `TFRecordOptions`, a `TFRecordCompressionType`, a name, or None.

        Returns:
          A string.

        Raises:
          ValueError: There is no such compression.
        """
        if isinstance(options, TFRecordOptions):
            options = options.compression_type
        if not options:
            return ""
        if options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if options in cls.compression_type_map.values():
            return options
        raise ValueError(f'Not a valid compression_type: "{options}"')

    def compressor(self):
        """Makes what compresses as these options say.

        Returns:
          A compressor of `zlib`, or None.
        """
        kind = self.get_compression_type_string(self)
        if not kind:
            return None
        window = self.window_bits or zlib.MAX_WBITS
        return zlib.compressobj(
            zlib.Z_DEFAULT_COMPRESSION if self.compression_level is None else self.compression_level,
            zlib.DEFLATED,
            window + 16 if kind == "GZIP" else window,
            self.mem_level or zlib.DEF_MEM_LEVEL,
            self.compression_strategy or zlib.Z_DEFAULT_STRATEGY,
        )
