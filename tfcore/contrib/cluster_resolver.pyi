# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore.distribute.cluster_resolver import ClusterResolver as ClusterResolver
from tfcore.distribute.cluster_resolver import GCEClusterResolver as GCEClusterResolver
from tfcore.distribute.cluster_resolver import KubernetesClusterResolver as KubernetesClusterResolver
from tfcore.distribute.cluster_resolver import SimpleClusterResolver as SimpleClusterResolver
from tfcore.distribute.cluster_resolver import SlurmClusterResolver as SlurmClusterResolver
from tfcore.distribute.cluster_resolver import TFConfigClusterResolver as TFConfigClusterResolver
from tfcore.distribute.cluster_resolver import TPUClusterResolver as TPUClusterResolver
from tfcore.distribute.cluster_resolver import UnionResolver as UnionClusterResolver
from typing import Any as _Any

__all__ = [
'ClusterResolver', 'GCEClusterResolver', 'KubernetesClusterResolver', 'SimpleClusterResolver', 'SlurmClusterResolver',
'TFConfigClusterResolver', 'TPUClusterResolver', 'UnionClusterResolver'
]

