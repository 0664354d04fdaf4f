# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from tfcore import extract_image_patches as extract_image_patches
from tfcore import random_crop as random_crop
from typing import Any as _Any

__all__ = [
'ResizeMethod', 'adjust_brightness', 'adjust_contrast', 'adjust_gamma', 'adjust_hue', 'adjust_jpeg_quality',
'adjust_saturation', 'central_crop', 'combined_non_max_suppression', 'convert_image_dtype', 'crop_and_resize',
'crop_to_bounding_box', 'decode_and_crop_jpeg', 'decode_bmp', 'decode_gif', 'decode_image', 'decode_jpeg', 'decode_png',
'draw_bounding_boxes', 'encode_jpeg', 'encode_png', 'extract_glimpse', 'extract_image_patches', 'extract_jpeg_shape',
'extract_patches', 'flip_left_right', 'flip_up_down', 'grayscale_to_rgb', 'hsv_to_rgb', 'image_gradients', 'is_jpeg',
'non_max_suppression', 'non_max_suppression_overlaps', 'non_max_suppression_padded', 'non_max_suppression_with_scores',
'pad_to_bounding_box', 'per_image_standardization', 'psnr', 'random_brightness', 'random_contrast', 'random_crop',
'random_flip_left_right', 'random_flip_up_down', 'random_hue', 'random_jpeg_quality', 'random_saturation', 'resize',
'resize_area', 'resize_bicubic', 'resize_bilinear', 'resize_image_with_crop_or_pad', 'resize_image_with_pad',
'resize_images', 'resize_nearest_neighbor', 'resize_with_crop_or_pad', 'rgb_to_grayscale', 'rgb_to_hsv', 'rgb_to_yiq',
'rgb_to_yuv', 'rot90', 'sample_distorted_bounding_box', 'sobel_edges', 'ssim', 'ssim_multiscale', 'total_variation',
'transpose', 'transpose_image', 'yiq_to_rgb', 'yuv_to_rgb'
]

class ResizeMethod:
    """The methods of `tf.image.resize_images`."""
    AREA: _Any
    BICUBIC: _Any
    BILINEAR: _Any
    NEAREST_NEIGHBOR: _Any

def adjust_brightness(image: _Any, delta: _Any) -> Tensor:
    """Adds a number to all pixels, as floats in [0, 1]."""

def adjust_contrast(images: _Any, contrast_factor: _Any) -> Tensor:
    """Multiplies the distance of each channel to its mean over the image."""

def adjust_gamma(image: _Any, gamma: _Any = 1, gain: _Any = 1) -> Tensor:
    """Gamma correction: gain * image ** gamma, of floats in [0, 1]."""

def adjust_hue(image: _Any, delta: _Any, name: str | None = None) -> Tensor:
    """Turns the hue of RGB images."""

def adjust_jpeg_quality(image: _Any, jpeg_quality: _Any, dct_method: _Any = '', name: str | None = None) -> Tensor:
    """What remains of an image in a JPEG file."""

def adjust_saturation(image: _Any, saturation_factor: _Any, name: str | None = None) -> Tensor:
    """Multiplies the saturation of RGB images."""

def central_crop(image: _Any, central_fraction: _Any) -> Tensor:
    """The central part of images."""

def combined_non_max_suppression(boxes: _Any, scores: _Any, max_output_size_per_class: _Any, max_total_size: _Any, iou_threshold: _Any = 0.5, score_threshold: _Any = ..., pad_per_class: _Any = False, clip_boxes: _Any = True, name: str | None = None) -> _Any:
    """Chooses the best boxes of each image of a batch; boxes of different classes don't suppress each other."""

def convert_image_dtype(image: _Any, dtype: _Any, saturate: _Any = False, name: str | None = None) -> Tensor:
    """Converts images to another type, scaled: the largest integer is 1.0 in floating point."""

def crop_and_resize(image: _Any, boxes: _Any, box_ind: _Any = None, crop_size: _Any = None, method: _Any = 'bilinear', extrapolation_value: _Any = 0, name: str | None = None, box_indices: _Any = None) -> Tensor:
    """Crops images at boxes and resizes the crops to one size."""

def crop_to_bounding_box(image: _Any, offset_height: _Any, offset_width: _Any, target_height: _Any, target_width: _Any) -> Tensor:
    """The part of images within a box."""

def decode_and_crop_jpeg(contents: _Any, crop_window: _Any, channels: _Any = 0, ratio: _Any = 1, fancy_upscaling: _Any = True, try_recover_truncated: _Any = False, acceptable_fraction: _Any = 1, dct_method: _Any = '', name: str | None = None) -> Tensor:
    """Decodes a window of a JPEG file."""

def decode_bmp(contents: _Any, channels: _Any = 0, name: str | None = None) -> Tensor:
    """Decodes a BMP file."""

def decode_gif(contents: _Any, name: str | None = None) -> Tensor:
    """Decodes all frames of a GIF file; a file of another format is one frame."""

def decode_image(contents: _Any, channels: _Any = None, dtype: _Any = ..., name: str | None = None, expand_animations: _Any = True) -> Tensor:
    """Decodes a JPEG, PNG, GIF or BMP file."""

def decode_jpeg(contents: _Any, channels: _Any = 0, ratio: _Any = 1, fancy_upscaling: _Any = True, try_recover_truncated: _Any = False, acceptable_fraction: _Any = 1, dct_method: _Any = '', name: str | None = None) -> Tensor:
    """Decodes a JPEG file, a PNG file or a GIF file with one frame; the other arguments are for JPEG."""

def decode_png(contents: _Any, channels: _Any = 0, dtype: _Any = ..., name: str | None = None) -> Tensor:
    """Decodes a PNG file, a JPEG file or a GIF file with one frame."""

def draw_bounding_boxes(images: _Any, boxes: _Any, name: str | None = None, colors: _Any = None) -> Tensor:
    """Draws boxes into images, one pixel wide."""

def encode_jpeg(image: _Any, format: _Any = '', quality: _Any = 95, progressive: _Any = False, optimize_size: _Any = False, chroma_downsampling: _Any = True, density_unit: _Any = 'in', x_density: _Any = 300, y_density: _Any = 300, xmp_metadata: _Any = '', name: str | None = None) -> Tensor:
    """Encodes an image as JPEG."""

def encode_png(image: _Any, compression: _Any = -1, name: str | None = None) -> Tensor:
    """Encodes images as PNG."""

def extract_glimpse(input: _Any, size: _Any, offsets: _Any, centered: _Any = True, normalized: _Any = True, uniform_noise: _Any = True, name: str | None = None) -> Tensor:
    """Cuts a window out of each image. Outside of the image it has noise, of values like the image's."""

def extract_jpeg_shape(contents: _Any, output_type: _Any = ..., name: str | None = None) -> Tensor:
    """Reads the shape of a JPEG file without decoding it."""

def extract_patches(images: _Any, sizes: _Any, strides: _Any, rates: _Any, padding: _Any, name: str | None = None) -> Tensor:
    """The patches of images around each position, with their elements in the last dimension."""

def flip_left_right(image: _Any) -> Tensor:
    """Flips images along their width."""

def flip_up_down(image: _Any) -> Tensor:
    """Flips images along their height."""

def grayscale_to_rgb(images: _Any, name: str | None = None) -> Tensor:
    """Three equal channels of gray images."""

def hsv_to_rgb(images: _Any, name: str | None = None) -> Tensor:
    """Converts colours from HSV to RGB."""

def image_gradients(image: _Any) -> _Any:
    """Differences between neighbouring pixels, 0 in the last row and column."""

def is_jpeg(contents: _Any, name: str | None = None) -> Tensor:
    """Whether a file begins as JPEG files do."""

def non_max_suppression(boxes: _Any, scores: _Any, max_output_size: _Any, iou_threshold: _Any = 0.5, score_threshold: _Any = ..., name: str | None = None) -> Tensor:
    """Chooses the boxes of the best scores that do not overlap much."""

def non_max_suppression_overlaps(overlaps: _Any, scores: _Any, max_output_size: _Any, overlap_threshold: _Any = 0.5, score_threshold: _Any = ..., name: str | None = None) -> Tensor:
    """Chooses boxes of which only the overlaps are known."""

def non_max_suppression_padded(boxes: _Any, scores: _Any, max_output_size: _Any, iou_threshold: _Any = 0.5, score_threshold: _Any = ..., pad_to_max_output_size: _Any = False, name: str | None = None) -> _Any:
    """Chooses boxes as `tf.image.non_max_suppression` does; the result may have a size that is known before."""

def non_max_suppression_with_scores(boxes: _Any, scores: _Any, max_output_size: _Any, iou_threshold: _Any = 0.5, score_threshold: _Any = ..., soft_nms_sigma: _Any = 0.0, name: str | None = None) -> _Any:
    """Chooses boxes as `tf.image.non_max_suppression` does, or by scores that overlaps lower (Soft-NMS)."""

def pad_to_bounding_box(image: _Any, offset_height: _Any, offset_width: _Any, target_height: _Any, target_width: _Any) -> Tensor:
    """Puts images into a larger one that is 0 elsewhere."""

def per_image_standardization(image: _Any) -> Tensor:
    """Scales each image to mean 0 and variance 1."""

def psnr(a: _Any, b: _Any, max_val: _Any, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio of two images, in decibels."""

def random_brightness(image: _Any, max_delta: _Any, seed: _Any = None) -> Tensor:
    """Adds a random number from [-max_delta, max_delta) to all pixels."""

def random_contrast(image: _Any, lower: _Any, upper: _Any, seed: _Any = None) -> Tensor:
    """Multiplies the contrast by a random number from [lower, upper)."""

def random_flip_left_right(image: _Any, seed: _Any = None) -> Tensor:
    """Flips each image along its width, with probability 1/2."""

def random_flip_up_down(image: _Any, seed: _Any = None) -> Tensor:
    """Flips each image along its height, with probability 1/2."""

def random_hue(image: _Any, max_delta: _Any, seed: _Any = None) -> Tensor:
    """Turns the hue by a random angle from [-max_delta, max_delta)."""

def random_jpeg_quality(image: _Any, min_jpeg_quality: _Any, max_jpeg_quality: _Any, seed: _Any = None) -> Tensor:
    """What remains of an image in a JPEG file of a random quality."""

def random_saturation(image: _Any, lower: _Any, upper: _Any, seed: _Any = None) -> Tensor:
    """Multiplies the saturation by a random number from [lower, upper)."""

def resize(images: _Any, size: _Any, method: _Any = 0, align_corners: _Any = False, preserve_aspect_ratio: _Any = False, name: str | None = None) -> Tensor:
    """Resizes images. The result is float, unless pixels are only copied."""

def resize_area(images: _Any, size: _Any, align_corners: _Any = False, name: str | None = None) -> Tensor:
    """Resizes images; each pixel becomes the mean of the area that it covers."""

def resize_bicubic(images: _Any, size: _Any, align_corners: _Any = False, name: str | None = None, half_pixel_centers: _Any = False) -> Tensor:
    """Resizes images with cubic interpolation."""

def resize_bilinear(images: _Any, size: _Any, align_corners: _Any = False, name: str | None = None, half_pixel_centers: _Any = False) -> Tensor:
    """Resizes images with linear interpolation."""

def resize_image_with_crop_or_pad(image: _Any, target_height: _Any, target_width: _Any) -> Tensor:
    """Crops images, or pads them with 0, around their centres."""

def resize_image_with_pad(image: _Any, target_height: _Any, target_width: _Any, method: _Any = 0, align_corners: _Any = False) -> Tensor:
    """Resizes images so that they fit, sides in ratio, and pads them with 0 to a given size."""

resize_images = resize

def resize_nearest_neighbor(images: _Any, size: _Any, align_corners: _Any = False, name: str | None = None, half_pixel_centers: _Any = False) -> Tensor:
    """Resizes images by copying, for each pixel, the nearest one."""

resize_with_crop_or_pad = resize_image_with_crop_or_pad

def rgb_to_grayscale(images: _Any, name: str | None = None) -> Tensor:
    """The luminance of RGB images."""

def rgb_to_hsv(images: _Any, name: str | None = None) -> Tensor:
    """Converts colours from RGB to HSV."""

def rgb_to_yiq(images: _Any) -> Tensor:
    """Converts RGB images to YIQ."""

def rgb_to_yuv(images: _Any) -> Tensor:
    """Converts RGB images to YUV."""

def rot90(image: _Any, k: _Any = 1, name: str | None = None) -> Tensor:
    """Turns images counter-clockwise by a multiple of 90 degrees."""

def sample_distorted_bounding_box(image_size: _Any, bounding_boxes: _Any, seed: _Any = None, seed2: _Any = None, min_object_covered: _Any = 0.1, aspect_ratio_range: _Any = None, area_range: _Any = None, max_attempts: _Any = None, use_image_if_no_bounding_boxes: _Any = None, name: str | None = None) -> _Any:
    """Draws a random window of an image that has enough of one of its boxes."""

def sobel_edges(image: _Any) -> Tensor:
    """Sobel's filters."""

def ssim(img1: _Any, img2: _Any, max_val: _Any, filter_size: _Any = 11, filter_sigma: _Any = 1.5, k1: _Any = 0.01, k2: _Any = 0.03, return_index_map: _Any = False) -> Tensor:
    """The structural similarity of two images (Wang and others, 2004), by Gaussian windows."""

def ssim_multiscale(img1: _Any, img2: _Any, max_val: _Any, power_factors: _Any = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333), filter_size: _Any = 11, filter_sigma: _Any = 1.5, k1: _Any = 0.01, k2: _Any = 0.03) -> Tensor:
    """The structural similarity of two images at several scales (Wang and others, 2003)."""

def total_variation(images: _Any, name: str | None = None) -> Tensor:
    """The sum of the absolute differences between neighbouring pixels."""

def transpose(image: _Any, name: str | None = None) -> Tensor:
    """Exchanges height and width of images."""

transpose_image = transpose

def yiq_to_rgb(images: _Any) -> Tensor:
    """Converts YIQ images to RGB."""

def yuv_to_rgb(images: _Any) -> Tensor:
    """Converts YUV images to RGB."""
