/**
 * What `log.collect_system_logs` answers: base64 of a tar.gz with the agent's log, the kernel's, and the machine's state.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hardware } from './steps/hardware.ts';

/** File in the archive -> the program that fills it. */
const SOURCES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  dmesg: ['dmesg'],
  'lsblk.json': ['lsblk', '-JbO'],
  addresses: ['ip', 'addr'],
  routes: ['ip', 'route'],
  processes: ['ps'],
  modules: ['lsmod'],
};

export async function collectLogs({ run, log }: Pick<Hardware, 'run' | 'log'>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'logs-'));
  try {
    const files = join(directory, 'logs');
    await mkdir(files);
    await writeFile(join(files, 'agent.log'), `${log.lines().join('\n')}\n`);
    await writeFile(join(files, 'cmdline'), withoutToken(await readFile('/proc/cmdline', 'utf8')));
    for (const [name, [program, ...args]] of Object.entries(SOURCES)) {
      // What could not be collected says so in its own file.
      const text = await run(program, args).catch((error: Error) => `${error.message}\n`);
      await writeFile(join(files, name), text);
    }
    const archive = join(directory, 'logs.tar.gz');
    await run('tar', ['-czf', archive, '-C', directory, 'logs']);
    return (await readFile(archive)).toString('base64');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const withoutToken = (commandLine: string): string => commandLine.replace(/(token=)\S+/g, '$1******');
