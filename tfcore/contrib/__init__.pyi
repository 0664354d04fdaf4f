# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any

import builtins
from tfcore.contrib import rnn as rnn
from tfcore.contrib import seq2seq as seq2seq
from tfcore.contrib import training as training

