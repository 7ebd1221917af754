import { expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import { placeConfigDrive, reservedBytes } from './config-drive-place.ts';

const MEBI = 1024 * 1024;
/** A GPT with the usual 128 entries. */
const BACKUP_SECTORS = 33;

it('has whole MiB at the end of the disk, before the backup GPT', () => {
  expect(placeConfigDrive(100 * MEBI, 1)).toEqual({ start: 98 * MEBI, bytes: MEBI });
  expect(placeConfigDrive(100 * MEBI, 2 * MEBI + 1)).toEqual({ start: 96 * MEBI, bytes: 3 * MEBI });
  expect(placeConfigDrive(100 * MEBI + 512, MEBI)).toEqual({ start: 98 * MEBI, bytes: MEBI });
});

it('never overlaps the image or the backup GPT', () => {
  const sectors = fc.integer({ min: 200 * 2048, max: 2 ** 40 });
  fc.assert(
    fc.property(
      sectors,
      fc.integer({ min: 1, max: 64 * MEBI }),
      fc.constantFrom(512, 4096),
      (count, drive, sector) => {
        const deviceBytes = count * sector;
        const { start, bytes } = placeConfigDrive(deviceBytes, drive);
        expect(start % MEBI).toBe(0);
        expect(bytes).toBeGreaterThanOrEqual(drive);
        expect(start).toBeGreaterThanOrEqual(deviceBytes - reservedBytes(drive));
        expect(start + bytes).toBeLessThanOrEqual(deviceBytes - BACKUP_SECTORS * sector);
      },
    ),
  );
});
