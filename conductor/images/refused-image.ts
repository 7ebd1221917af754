/** The verdict of a check or of the conversion that an image may not be used. Another try has the same result. */
export class RefusedImage extends Error {}
