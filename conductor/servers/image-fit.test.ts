import { expect, it } from 'vitest';
import { imageOf } from '../../test/fakes/compute/records.ts';
import { checkImageFits } from './image-fit.ts';

const GIB = 1024 ** 3;
const image = (changes: Parameters<typeof imageOf>[0] = {}) =>
  imageOf({ uuid: 'i', status: 'active', minRamMb: 0, minDiskGb: 0, sizeBytes: GIB, ...changes });
const flavor = { ramMb: 1_024, rootGb: 10 };

it.each([
  ['as large as the disk', image({ sizeBytes: 10 * GIB, virtualSizeBytes: null })],
  ['compressed, with its size in use', image({ sizeBytes: 20 * GIB, virtualSizeBytes: 10 * GIB })],
  ['with the least memory and disk', image({ minRamMb: 1_024, minDiskGb: 10 })],
])('an image fits: %s', (_, one) => expect(() => checkImageFits(one, flavor)).not.toThrow());

it.each([
  ['not active', image({ status: 'queued' }), 'Image i is not active.'],
  ['more memory', image({ minRamMb: 1_025 }), "Flavor's memory is too small for requested image."],
  [
    'too large once written',
    image({ virtualSizeBytes: 10 * GIB + 1 }),
    `Flavor's disk is too small for requested image. Flavor disk is ${10 * GIB} bytes, image is ${10 * GIB + 1} bytes.`,
  ],
  [
    'a larger disk',
    image({ minDiskGb: 11 }),
    `Flavor's disk is smaller than the minimum size specified in image metadata. Flavor disk is ${10 * GIB} bytes, minimum size is ${11 * GIB} bytes.`,
  ],
])('an image is refused: %s', (_, one, message) => {
  expect(() => checkImageFits(one, flavor)).toThrow(message);
});

it('a flavor without a disk size means the whole disk of the machine', () => {
  const large = image({ virtualSizeBytes: 1_000 * GIB, minDiskGb: 1_000 });
  expect(() => checkImageFits(large, { ramMb: 1_024, rootGb: 0 })).not.toThrow();
});
