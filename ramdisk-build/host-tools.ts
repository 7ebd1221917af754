/**
 * The programs a build runs on its host, with the Debian package of each. Those that shape the bytes of the result
 * count among its inputs with their version.
 */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { BuildFailure } from './failure.ts';
import { run } from './run.ts';

interface HostTool {
  readonly program: string;
  readonly package: string;
  readonly shapesBytes?: true;
}

export const HOST_TOOLS: readonly HostTool[] = [
  { program: 'apt-cache', package: 'apt' },
  { program: 'apt-get', package: 'apt' },
  { program: 'dpkg-deb', package: 'dpkg' },
  { program: 'depmod', package: 'kmod', shapesBytes: true },
  { program: 'strip', package: 'binutils', shapesBytes: true },
  { program: 'zstd', package: 'zstd', shapesBytes: true },
];

const ADMIN_DIRS = '/usr/sbin:/sbin';

/** depmod lies where the PATH of plain users does not look. */
export const toolPath = (path = process.env['PATH'] ?? ''): string => `${path}:${ADMIN_DIRS}`;

/** Throws BuildFailure when a tool is missing, naming all of them. */
export function requireTools(tools: readonly HostTool[] = HOST_TOOLS, path: string = toolPath()): void {
  const dirs = path.split(':').filter(Boolean);
  const missing = tools.filter(({ program }) => !dirs.some((dir) => isExecutable(join(dir, program))));
  if (missing.length === 0) return;
  const names = missing.map(({ program }) => program).join(', ');
  const packages = [...new Set(missing.map((tool) => tool.package))].join(' ');
  throw new BuildFailure(
    `programs of the build are missing: ${names}. On Debian: apt-get install ${packages}`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Program -> first line of its version, of those that shape the result. */
export async function toolVersions(signal: AbortSignal): Promise<Record<string, string>> {
  const shaping = HOST_TOOLS.filter(({ shapesBytes }) => shapesBytes);
  const lines = await Promise.all(
    shaping.map(async ({ program }) => {
      const text = await run(program, ['--version'], { signal, env: { PATH: toolPath() } });
      return [program, text.split('\n', 1)[0]!.trim()] as const;
    }),
  );
  return Object.fromEntries(lines);
}
