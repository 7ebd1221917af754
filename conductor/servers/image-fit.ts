/**
 * Whether a server with this flavor can be built from an image. Errors have Nova's texts. Pure.
 */
import type { Flavor, Image } from '../domain/compute.ts';
import { IngotError } from '../domain/errors.ts';

const GIB = 1024 ** 3;

const wrong = (message: string): IngotError => new IngotError('invalidParameter', message);

/** Throws invalidParameter when the image is not active or needs a larger flavor. */
export function checkImageFits(image: Image, flavor: Pick<Flavor, 'ramMb' | 'rootGb'>): void {
  if (image.status !== 'active') throw wrong(`Image ${image.uuid} is not active.`);
  if (flavor.ramMb < image.minRamMb) throw wrong("Flavor's memory is too small for requested image.");
  // zero is the whole disk of the machine, whatever its size
  if (flavor.rootGb === 0) return;
  const roomBytes = flavor.rootGb * GIB;
  const imageBytes = image.virtualSizeBytes ?? image.sizeBytes ?? 0;
  if (imageBytes > roomBytes) {
    throw wrong(
      `Flavor's disk is too small for requested image. Flavor disk is ${roomBytes} bytes, image is ${imageBytes} bytes.`,
    );
  }
  if (image.minDiskGb > flavor.rootGb) {
    throw wrong(
      `Flavor's disk is smaller than the minimum size specified in image metadata. Flavor disk is ${roomBytes} bytes, minimum size is ${image.minDiskGb * GIB} bytes.`,
    );
  }
}
