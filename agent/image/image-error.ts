/** An image that is not written, or not to the end, through its own fault or that of the request. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
}
