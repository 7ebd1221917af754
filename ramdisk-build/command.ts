/**
 * `ingot ramdisk build`: makes the kernel and ramdisk pair.
 */
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { buildRamdisk, type RamdiskReport, SHIPPED_LEVEL } from './build.ts';
import type { Profile } from './contents.ts';
import { BuildFailure } from './failure.ts';

/** As a shell names an end by SIGINT, SIGTERM. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

interface Options {
  readonly out: string;
  readonly cache: string;
  readonly profile: Profile;
  readonly zstdLevel: number;
}

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
    .option('--zstd-level <1-19>', 'lower is faster and larger', parseLevel, SHIPPED_LEVEL)
    .exitOverride()
    .action((options: Options) => runBuild(build, options));
  return new Command('ramdisk').description('The deploy ramdisk').addCommand(build);
}

function parseLevel(text: string): number {
  const level = Number(text);
  if (!Number.isInteger(level) || level < 1 || level > 19)
    throw new InvalidArgumentError('a whole number from 1 to 19 is needed.');
  return level;
}

/** A signal stops the build, which tidies up after itself; the same signal again ends the process at once. */
async function runBuild(command: Command, options: Options): Promise<void> {
  const stopped = new AbortController();
  // Not `once`: the handler that ends our programs would find none of ours left and end this process with them.
  for (const [signal, exitCode] of Object.entries(EXIT_CODES))
    process.on(signal, () => (stopped.signal.aborted ? process.exit(exitCode) : stopped.abort(signal)));
  try {
    const report = await buildRamdisk({
      outDir: resolve(options.out),
      cacheDir: resolve(options.cache),
      profile: options.profile,
      zstdLevel: options.zstdLevel,
      signal: stopped.signal,
      onProgress: (text) => process.stderr.write(`${text}\n`),
    });
    process.stdout.write(formatReport(report));
  } catch (error) {
    if (stopped.signal.aborted) {
      const exitCode = EXIT_CODES[stopped.signal.reason as keyof typeof EXIT_CODES];
      command.error('ingot: interrupted; nothing was changed', { exitCode });
    }
    if (error instanceof BuildFailure) command.error(`ingot: ${error.message}`, { exitCode: 1 });
    throw error;
  }
}

const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

export function formatReport(report: RamdiskReport): string {
  const { sizes, kernel, ramdisk } = report;
  const row = (packed: string, unpacked: string, name: string): string =>
    `${packed.padStart(10)} ${unpacked.padStart(10)}  ${name}`;
  return [
    `${kernel.path} (${report.kernelRelease})  sha256 ${kernel.sha256}`,
    `${ramdisk.path}  sha256 ${ramdisk.sha256}`,
    '',
    row('packed', 'unpacked', ''),
    ...sizes.groups.map(({ name, files, bytes, packedBytes }) =>
      row(mb(packedBytes), mb(bytes), files === 1 ? name : `${name} (${files} files)`),
    ),
    row(
      mb(sizes.totalBytes),
      mb(kernel.bytes + report.unpackedBytes),
      `of a budget of ${mb(sizes.budgetBytes)}`,
    ),
    '',
    'largest files, unpacked:',
    ...sizes.largest.map(({ name, bytes }) => row('', mb(bytes), name)),
    ...firmwareNote(report),
    ...(report.cached ? ['', 'nothing had changed since the last build'] : []),
    '',
  ].join('\n');
}

/** A card without its firmware is found out in the machine room, so it is said here. */
function firmwareNote({ missingFirmware }: RamdiskReport): string[] {
  if (missingFirmware.length === 0) return [];
  const drivers = missingFirmware.map(({ module, files }) => `${module} (${files.length})`).join(', ');
  return [
    '',
    `firmware files missing for: ${drivers}; see manifest.json. Where apt has no "non-free-firmware" component, add it and run apt-get update`,
  ];
}
