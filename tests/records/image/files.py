"""Image files, which tests write and read."""

_TEST = "tests/ops/image/test_files.py"
EXPLICIT = {
    "DecodeJpeg": f"{_TEST}::test_jpeg_keeps_a_smooth_picture",
    "DecodeAndCropJpeg": f"{_TEST}::test_a_window_of_a_jpeg",
    "DecodePng": f"{_TEST}::test_png_keeps_every_bit",
    "DecodeGif": f"{_TEST}::test_gif",
    "DecodeBmp": f"{_TEST}::test_bmp",
    "DecodeImage": f"{_TEST}::test_any_file",
    "ExtractJpegShape": f"{_TEST}::test_jpeg_keeps_a_smooth_picture",
    "EncodeJpeg": f"{_TEST}::test_jpeg_options_of_the_header",
    "EncodeJpegVariableQuality": f"{_TEST}::test_jpeg_quality_as_an_adjustment",
    "EncodePng": f"{_TEST}::test_png_keeps_every_bit",
}
RECORDS = []
