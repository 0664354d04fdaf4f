# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from typing import Any as _Any

__all__ = [
'adjust_hsv_in_yiq', 'angles_to_projective_transforms', 'compose_transforms', 'dense_image_warp',
'flat_transforms_to_matrices', 'interpolate_spline', 'matrices_to_flat_transforms', 'random_hsv_in_yiq', 'rotate',
'sparse_image_warp', 'transform', 'translate', 'translations_to_projective_transforms'
]

def adjust_hsv_in_yiq(image: _Any, delta_hue: _Any = 0, scale_saturation: _Any = 1, scale_value: _Any = 1, name: str | None = None) -> Tensor:
    """Turns the hue of images around the luminance, and scales saturation and value."""

def angles_to_projective_transforms(angles: _Any, image_height: _Any, image_width: _Any, name: str | None = None) -> Tensor:
    """The projections that rotate images around their centres."""

def compose_transforms(*transforms: _Any) -> Tensor:
    """The projection that does the same as several ones after each other."""

def dense_image_warp(image: _Any, flow: _Any, name: str | None = 'dense_image_warp') -> Tensor:
    """Images in which pixel (y, x) shows the place (y - flow[0], x - flow[1]), interpolated between four pixels."""

def flat_transforms_to_matrices(transforms: _Any) -> Tensor:
    """Matrices [N, 3, 3] of projections, whose last element is 1."""

def interpolate_spline(train_points: _Any, train_values: _Any, query_points: _Any, order: _Any, regularization_weight: _Any = 0.0, name: str | None = 'interpolate_spline') -> Tensor:
    """Values between points, by polyharmonic splines: weighted functions of the distance to each point, and a plane."""

def matrices_to_flat_transforms(transform_matrices: _Any) -> Tensor:
    """The 8 numbers of each projection: the matrices divided by their last elements."""

def random_hsv_in_yiq(image: _Any, max_delta_hue: _Any = 0, lower_saturation: _Any = 1, upper_saturation: _Any = 1, lower_value: _Any = 1, upper_value: _Any = 1, seed: _Any = None) -> Tensor:
    """`adjust_hsv_in_yiq` with random amounts."""

def rotate(images: _Any, angles: _Any, interpolation: _Any = 'NEAREST', name: str | None = None) -> Tensor:
    """Rotates images counterclockwise around their centres. Pixels from outside of the image are 0."""

def sparse_image_warp(image: _Any, source_control_point_locations: _Any, dest_control_point_locations: _Any, interpolation_order: _Any = 2, regularization_weight: _Any = 0.0, num_boundary_points: _Any = 0, name: str | None = 'sparse_image_warp') -> _Any:
    """Moves some points of images; `interpolate_spline` says how the pixels between them move."""

def transform(images: _Any, transforms: _Any, interpolation: _Any = 'NEAREST', output_shape: _Any = None, name: str | None = None) -> Tensor:
    """Images in which each pixel shows the place to which its coordinates are projected."""

def translate(images: _Any, translations: _Any, interpolation: _Any = 'NEAREST', name: str | None = None) -> Tensor:
    """Moves images. Pixels from outside of the image are 0."""

def translations_to_projective_transforms(translations: _Any, name: str | None = None) -> Tensor:
    """The projections that move images."""
