"""Translates a user's CUDA source into C++ for the host.

The source is preprocessed after `emulator/threads/user.cuh`, which turns the words that only CUDA has into those that
this module replaces: a kernel becomes a function, and gets a second one that takes the packed parameters of a launch.
"""

import re

# A template's kernels have other names on a card; those of a named namespace, too. They can't be launched by name.
_KERNEL = re.compile(
    r"\btfc_word_global\b(?:\s|\b(?:static|inline|void|const|extern)\b|\"C\"|__attribute__\s*\(\(.*?\)\))*"
    r"([A-Za-z_]\w*)\s*\(",
    re.S,
)
_DYNAMIC_SHARED = re.compile(
    r"\bextern\s+tfc_word_shared\s+(?:__attribute__\s*\(\(.*?\)\)\s*)?([\w:<>\s]*?[\w>])\s+(\w+)\s*\[\s*\]\s*;", re.S
)
# Outside of `.bss`, which is a block's shared memory. Programs ask for them by name.
_CONSTANT = '__attribute__((unused, visibility("default"), section(".data.tfc_constants")))'
_VARIABLE = '__attribute__((unused, visibility("default"), section("tfc_variables")))'
# Of a variable, not of a function: the name's initial value, its size or the end follows.
_DEVICE_VARIABLE = re.compile(r"\btfc_word_device\b(?=[^(){};=]*[;=])")
_TOKEN = re.compile(
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#.*$'
    r"|\bnamespace\s+(?:\w+)(?:\s*::\s*\w+)*\s*\{|\btemplate\s*<|[{};]|\btfc_word_global\b",
    re.M,
)
_LAUNCH = """
extern "C" __attribute__((visibility("default"))) void tfc_launch_of_{name}(const void* parameters) {{
  tfc::call(::{name}, parameters);
}}
"""
BEGIN = "tfc_word_begin"  # stands between user.cuh and the source


def kernels(text):
    """The names of the kernels in a preprocessed source that a program can launch by name; each once."""
    found, closes, in_template = [], [], False
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word[0] in "\"'#" or word.lstrip().startswith("#"):
            continue
        if word.startswith("template"):
            in_template = True
        elif word == "tfc_word_global":
            match = _KERNEL.match(text, token.start())
            if match and not in_template and True not in closes:
                found.append(match[1])
        elif word == "}":
            in_template = False
            if closes:
                closes.pop()
        elif word == ";":
            in_template = False
        else:
            closes.append(word.startswith("namespace"))
            in_template = False
    return list(dict.fromkeys(found))


def translate(text):
    """C++ for the host.

    Args:
      text: a source that was preprocessed after user.cuh, from BEGIN on.

    Returns: the text, and for each kernel a function `tfc_launch_of_NAME` that the emulated GPU calls.
    """
    launches = [_LAUNCH.format(name=name) for name in kernels(text)]
    text = _DYNAMIC_SHARED.sub(r"\1* const \2 = reinterpret_cast<\1*>(tfc_host_dynamic_shared);", text)
    text = re.sub(r"\btfc_word_constant\b", _CONSTANT, _DEVICE_VARIABLE.sub(_VARIABLE, text))
    text = re.sub(r"\btfc_word_shared\b", "static", text)
    return "".join([re.sub(r"\btfc_word_(?:device|global)\b", "", text), *launches])
