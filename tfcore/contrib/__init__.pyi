# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore.contrib import cluster_resolver as cluster_resolver
from tfcore.contrib import crf as crf
from tfcore.contrib import cudnn_rnn as cudnn_rnn
from tfcore.contrib import data as data
from tfcore.contrib import distribute as distribute
from tfcore.contrib import distributions as distributions
from tfcore.contrib import feature_column as feature_column
from tfcore.contrib import framework as framework
from tfcore.contrib import graph_editor as graph_editor
from tfcore.contrib import image as image
from tfcore.contrib import layers as layers
from tfcore.contrib import legacy_seq2seq as legacy_seq2seq
from tfcore.contrib import lookup as lookup
from tfcore.contrib import losses as losses
from tfcore.contrib import metrics as metrics
from tfcore.contrib import mixed_precision as mixed_precision
from tfcore.contrib import nn as nn
from tfcore.contrib import opt as opt
from tfcore.contrib import predictor as predictor
from tfcore.contrib import rnn as rnn
from tfcore.contrib import seq2seq as seq2seq
from tfcore.contrib import sparsemax as sparsemax
from tfcore.contrib import staging as staging
from tfcore.contrib import stateless as stateless
from tfcore.contrib import tfprof as tfprof
from tfcore.contrib import training as training
from tfcore.contrib import util as util
from typing import Any as _Any

__all__ = [
'cluster_resolver', 'crf', 'cudnn_rnn', 'data', 'distribute', 'distributions', 'feature_column', 'framework',
'graph_editor', 'image', 'layers', 'legacy_seq2seq', 'lookup', 'losses', 'metrics', 'mixed_precision', 'nn', 'opt',
'predictor', 'rnn', 'seq2seq', 'sparsemax', 'staging', 'stateless', 'tfprof', 'training', 'util'
]

