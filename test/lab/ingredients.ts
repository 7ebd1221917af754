/**
 * Builds what every lab needs: the deploy ramdisk and the test operating system. Kept in `.cache` between runs.
 */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildRamdisk, type RamdiskReport } from '@ingot/ramdisk-build/build.ts';
import { buildOsImage, type OsImage } from '../os-image/build.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
export const CACHE_DIR = join(ROOT, '.cache');

export interface Ingredients {
  readonly ramdiskDir: string;
  readonly ramdisk: RamdiskReport;
  readonly osImage: OsImage;
}

/** One after the other, because each uses both cores. */
export async function prepareIngredients(
  signal: AbortSignal,
  say: (text: string) => void = () => undefined,
): Promise<Ingredients> {
  const ramdiskDir = join(CACHE_DIR, 'ramdisk');
  const common = { cacheDir: CACHE_DIR, signal };
  const ramdisk = await buildRamdisk({
    ...common,
    outDir: ramdiskDir,
    profile: 'full',
    onProgress: (text) => say(`ramdisk: ${text}`),
  });
  const osImage = await buildOsImage({
    ...common,
    outDir: join(CACHE_DIR, 'os-image'),
    onProgress: (text) => say(`test OS image: ${text}`),
  });
  return { ramdiskDir, ramdisk, osImage };
}
