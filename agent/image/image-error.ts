/** An image that could not be written, or not completely, because of the image or the request. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
}
