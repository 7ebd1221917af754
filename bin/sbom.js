/**
 * Writes the bill of materials of the conductor in CycloneDX: what `ingot serve` needs to run. That of the ramdisk is
 * written by `ingot ramdisk build`.
 *
 * Usage: npm run sbom [-- FILE]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bomText } from '../ramdisk-build/sbom/cyclonedx.ts';
import { conductorBom } from '../ramdisk-build/sbom/documents.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const file = resolve(process.argv[2] ?? join(ROOT, 'build/sbom/conductor.cdx.json'));
const bom = conductorBom();
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, bomText(bom));
console.log(`${file}: ${bom.components.length} components`);
