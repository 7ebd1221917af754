/** Limits of the child processes, with the real programs. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compress, convertToRaw, sha256 } from './convert.ts';

const MEBI = 1024 * 1024;
const { signal } = new AbortController();
let dir: string;
const at = (name: string) => join(dir, name);

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-convert-'));
  execFileSync('dd', ['if=/dev/urandom', `of=${at('raw')}`, 'bs=1M', 'count=8'], { stdio: 'ignore' });
  execFileSync('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', at('raw'), at('qcow2')]);
  execFileSync('mkfifo', [at('pipe')]);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Pids of processes that have `argument` on their command line. */
function pidsWith(argument: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(argument);
    } catch (error) {
      if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
      throw error;
    }
  });
}

async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 20_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error('it did not come about within 20 s');
    await delay(20);
  }
}

describe('qemu-img', () => {
  it('writes up to the virtual size of the image', async () => {
    await convertToRaw(at('qcow2'), at('out'), 8 * MEBI, signal);
    expect(statSync(at('out')).size).toBe(8 * MEBI);
    expect(await sha256(at('out'), signal)).toBe(await sha256(at('raw'), signal));
  });

  it('can not write more than that', async () => {
    await expect(convertToRaw(at('qcow2'), at('more'), 4 * MEBI, signal)).rejects.toThrow(
      'preparing the image failed in qemu-img: it tried to write more than the size in the header of the image',
    );
    expect(existsSync(at('more')) ? statSync(at('more')).size : 0).toBeLessThanOrEqual(4 * MEBI);
  });

  it('reports what is wrong with its input', async () => {
    await expect(convertToRaw(at('raw'), at('x'), MEBI, signal)).rejects.toThrow('not in qcow2 format');
  });
});

describe('a child', () => {
  it('runs with its limits and as one process', async () => {
    const stop = new AbortController();
    const hashing = sha256(at('pipe'), stop.signal);
    await until(() =>
      pidsWith(at('pipe')).some((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sha256sum\n'),
    );
    const pids = pidsWith(at('pipe'));
    expect(pids).toHaveLength(1);
    expect(readFileSync(`/proc/${pids[0]}/limits`, 'utf8')).toMatch(/Max core file size +0 +0/);
    stop.abort(new Error('enough'));
    await expect(hashing).rejects.toThrow('enough');
    await until(() => pidsWith(at('pipe')).length === 0);
  });

  it('does not outlive a conductor that is killed', async () => {
    const module = JSON.stringify(new URL('./convert.ts', import.meta.url).href);
    const script = `import { sha256 } from ${module}; await sha256(process.env.PIPE, new AbortController().signal);`;
    const conductor = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: 'ignore',
      env: { ...process.env, PIPE: at('pipe') },
    });
    try {
      await until(() =>
        pidsWith(at('pipe')).some((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sha256sum\n'),
      );
    } finally {
      conductor.kill('SIGKILL');
    }
    await until(() => pidsWith(at('pipe')).length === 0);
  });

  it('reports why it failed', async () => {
    await expect(sha256(at('none'), signal)).rejects.toThrow('failed in sha256sum: sha256sum: ');
    await expect(compress(at('none'), at('x'), signal)).rejects.toThrow('failed in zstd: zstd: ');
  });
});
