"""The module imghdr of Python before 3.13."""

_STARTS = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"MM", "tiff"),
    (b"II", "tiff"),
    (b"\x01\xda", "rgb"),
    (b"P1", "pbm"),
    (b"P4", "pbm"),
    (b"P2", "pgm"),
    (b"P5", "pgm"),
    (b"P3", "ppm"),
    (b"P6", "ppm"),
    (b"\x59\xa6\x6a\x95", "rast"),
    (b"#define ", "xbm"),
    (b"\xff\xd8\xff\xdb", "jpeg"),
    (b"BM", "bmp"),
    (b"\x76\x2f\x31\x01", "exr"),
)


def what(file, h=None):
    """The kind of an image: file is its path or an open file, or h its first bytes. None: it is not known."""
    if h is None:
        h = _start(file)
    if h[6:10] in (b"JFIF", b"Exif"):
        return "jpeg"
    if h.startswith(b"RIFF") and h[8:12] == b"WEBP":
        return "webp"
    return next((kind for start, kind in _STARTS if h.startswith(start)), None)


def _start(file):
    if hasattr(file, "read"):
        at = file.tell()
        data = file.read(32)
        file.seek(at)
        return data
    with open(file, "rb") as opened:
        return opened.read(32)
