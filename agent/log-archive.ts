/**
 * The answer of `log.collect_system_logs`: base64 of a tar.gz with the logs of the agent, the kernel, the start of the
 * ramdisk and earlier runs of the agent, and the machine's state. Token and boot secret are masked.
 */
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hardware } from './steps/hardware.ts';

/** File in the archive -> the program whose output it holds. */
const SOURCES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  dmesg: ['dmesg'],
  'lsblk.json': ['lsblk', '-JbO'],
  addresses: ['ip', 'addr'],
  routes: ['ip', 'route'],
  processes: ['ps'],
  modules: ['lsmod'],
};

/** Directory with the output of init, udhcpc and the agent. */
const RAMDISK_LOGS = '/run/log';
const MOST_BYTES_EACH = 2 * 1024 * 1024;

export async function collectLogs(
  { run, log }: Pick<Hardware, 'run' | 'log'>,
  ramdiskLogs = RAMDISK_LOGS,
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'logs-'));
  try {
    const files = join(directory, 'logs');
    await mkdir(files);
    const save = (name: string, text: string): Promise<void> =>
      writeFile(join(files, name), withoutToken(text));
    await save('agent.log', `${log.lines().join('\n')}\n`);
    await save('cmdline', await readFile('/proc/cmdline', 'utf8'));
    for (const [name, [program, ...args]] of Object.entries(SOURCES)) {
      // If the program fails, its file holds the error.
      await save(name, await run(program, args).catch((error: Error) => `${error.message}\n`));
    }
    for (const name of await readdir(ramdiskLogs).catch(() => [])) {
      const text = await readEnd(join(ramdiskLogs, name)).catch((error: Error) => `${error.message}\n`);
      await save(`ramdisk-${name}`, text);
    }
    const archive = join(directory, 'logs.tar.gz');
    await run('tar', ['-czf', archive, '-C', directory, 'logs']);
    return (await readFile(archive)).toString('base64');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Reads the end of a long file, where the newest lines are. */
async function readEnd(path: string): Promise<string> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, MOST_BYTES_EACH);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * `ipa-agent-token=…` and `ingot.boot-secret=…` are on the kernel command line, and therefore also in the kernel's log and
 * the process list.
 */
const withoutToken = (text: string): string =>
  text.replace(/((?:token|secret)=)(?:"[^"]*"|\S+)/g, '$1******');
