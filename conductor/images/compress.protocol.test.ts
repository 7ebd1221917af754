/** Limits of the child processes, with the real programs. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compress, sha256 } from './compress.ts';

const { signal } = new AbortController();
let dir: string;
const at = (name: string) => join(dir, name);

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-compress-'));
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
    const module = JSON.stringify(new URL('./compress.ts', import.meta.url).href);
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
