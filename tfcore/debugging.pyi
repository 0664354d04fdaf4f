# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import check_numerics as check_numerics
from tfcore import verify_tensor_all_finite as assert_all_finite
from typing import Any as _Any

