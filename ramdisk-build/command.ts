/**
 * `ingot ramdisk build`: builds kernel and ramdisk.
 */
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { buildRamdisk, type RamdiskReport, SHIPPED_LEVEL } from './build.ts';
import type { Profile } from './contents.ts';
import { BuildFailure } from './failure.ts';

/** The exit codes that a shell uses for SIGINT and SIGTERM. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

interface Options {
  readonly out: string;
  readonly cache: string;
  readonly profile: Profile;
  readonly zstdLevel: number;
}

export function ramdiskCommand(): Command {
  const build = new Command('build')
    .description(
      'Build vmlinuz, ramdisk.img, a manifest and a bill of materials from Debian packages and the agent',
    )
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
    throw new InvalidArgumentError('it must be a whole number from 1 to 19.');
  return level;
}

/** The first signal stops the build, which removes its files. A second one ends the process at once. */
async function runBuild(command: Command, options: Options): Promise<void> {
  const stopped = new AbortController();
  // Not `once`: when no other handler is left, execa's exit handler ends this process together with its children.
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

function formatReport(report: RamdiskReport): string {
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
    ...(report.cached ? ['', 'nothing has changed since the last build'] : []),
    '',
  ].join('\n');
}

/** Missing firmware would otherwise be noticed only on the machine. */
function firmwareNote({ missingFirmware }: RamdiskReport): string[] {
  if (missingFirmware.length === 0) return [];
  const drivers = missingFirmware.map(({ module, files }) => `${module} (${files.length})`).join(', ');
  return [
    '',
    `firmware files missing for: ${drivers}; see manifest.json. If /etc/apt lacks the component "non-free-firmware", add it and run apt-get update`,
  ];
}
