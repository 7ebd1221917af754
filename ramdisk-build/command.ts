/**
 * `ingot ramdisk build`: makes the kernel and ramdisk pair.
 */

import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { buildRamdisk, type RamdiskReport } from './build.ts';
import type { Profile } from './contents.ts';

export function ramdiskCommand(): Command {
  const build = new Command('build')
    .description('Build vmlinuz, ramdisk.img and manifest.json from Debian packages and the agent')
    .requiredOption('--out <dir>', 'directory to put them in')
    .option('--cache <dir>', 'directory for downloaded packages', '.cache')
    .addOption(
      new Option('--profile <name>', 'full: drivers of common servers; lab: virtual machines only')
        .choices(['full', 'lab'])
        .default('full'),
    )
    .action(async (options: { out: string; cache: string; profile: Profile }) => {
      const stopped = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const)
        process.once(signal, () => stopped.abort(new Error('interrupted')));
      const report = await buildRamdisk({
        outDir: resolve(options.out),
        cacheDir: resolve(options.cache),
        profile: options.profile,
        signal: stopped.signal,
        onProgress: (text) => process.stderr.write(`${text}\n`),
      });
      process.stdout.write(formatReport(report));
    });
  return new Command('ramdisk').description('The deploy ramdisk').addCommand(build);
}

export function formatReport(report: RamdiskReport): string {
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`.padStart(9);
  const total = report.kernel.bytes + report.ramdisk.bytes;
  return [
    `${mb(report.kernel.bytes)}  ${report.kernel.path} (${report.kernelRelease})`,
    `${mb(report.ramdisk.bytes)}  ${report.ramdisk.path} (${mb(report.unpackedBytes).trim()} unpacked)`,
    `${mb(total)}  together, of a budget of ${mb(report.budgetBytes).trim()}${report.cached ? '; nothing had changed' : ''}`,
    'largest files, unpacked:',
    ...report.largest.map(({ path, bytes }) => `${mb(bytes)}  ${path}`),
    '',
  ].join('\n');
}
