"""Which op types draw random numbers."""

_OTHERS = frozenset(
    "FractionalAvgPool FractionalMaxPool Multinomial ParameterizedTruncatedNormal TruncatedNormal".split()
)
_FUNCTIONS = frozenset(["RandomGammaGrad", "RandomIndexShuffle"])  # of their inputs alone


def draws_random_numbers(op_type):
    """Whether operations of this type draw random numbers, or make what does: RandomDataset, RandomShuffleQueue."""
    return op_type.startswith("Random") and op_type not in _FUNCTIONS or op_type in _OTHERS
