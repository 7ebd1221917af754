/**
 * The programs that a build runs on its host, with their Debian packages. The versions of those that determine the
 * bytes of the result are among the build's inputs.
 */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { BuildFailure } from './failure.ts';
import { run } from './run.ts';

interface HostTool {
  readonly program: string;
  readonly package: string;
  readonly affectsOutput?: true;
}

export const HOST_TOOLS: readonly HostTool[] = [
  { program: 'apt-cache', package: 'apt' },
  { program: 'apt-get', package: 'apt' },
  { program: 'dpkg-deb', package: 'dpkg' },
  { program: 'depmod', package: 'kmod', affectsOutput: true },
  { program: 'strip', package: 'binutils', affectsOutput: true },
  { program: 'zstd', package: 'zstd', affectsOutput: true },
];

const ADMIN_DIRS = '/usr/sbin:/sbin';

/** Includes the directories of depmod, which are not in the PATH of ordinary users. */
export const toolPath = (path = process.env['PATH'] ?? ''): string => `${path}:${ADMIN_DIRS}`;

/** Throws BuildFailure with the names of all missing tools. */
export function requireTools(tools: readonly HostTool[] = HOST_TOOLS, path: string = toolPath()): void {
  const dirs = path.split(':').filter(Boolean);
  const missing = tools.filter(({ program }) => !dirs.some((dir) => isExecutable(join(dir, program))));
  if (missing.length === 0) return;
  const names = missing.map(({ program }) => program).join(', ');
  const packages = [...new Set(missing.map((tool) => tool.package))].join(' ');
  throw new BuildFailure(
    `the build needs programs that are not installed: ${names}. On Debian: apt-get install ${packages}`,
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

/** Program -> first line of its version, for the programs that determine the result. */
export async function toolVersions(signal: AbortSignal): Promise<Record<string, string>> {
  const tools = HOST_TOOLS.filter(({ affectsOutput }) => affectsOutput);
  const lines = await Promise.all(
    tools.map(async ({ program }) => {
      const text = await run(program, ['--version'], { signal, env: { PATH: toolPath() } });
      return [program, text.split('\n', 1)[0]!.trim()] as const;
    }),
  );
  return Object.fromEntries(lines);
}
