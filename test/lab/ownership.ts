/**
 * Who owns a lab, and how one ends. A lab is a directory and a network namespace of the same name; whatever
 * runs in that namespace was started by the lab. Ending one twice does no harm.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';

const PREFIX = 'ingot-lab-';
const END_TIMEOUT_MS = 15_000;
const POLL_MS = 50;

/**
 * A new lab's directory. It gets its name only once its owner is written down: a lab that starts at the same
 * moment would sweep one without an owner.
 */
export async function claimLab(): Promise<string> {
  const draft = await mkdtemp(join(tmpdir(), 'ingot-draft-'));
  await writeFile(join(draft, 'owner'), `${process.pid} ${startTime(process.pid)}`);
  const dir = join(tmpdir(), `${PREFIX}${randomBytes(4).toString('hex')}`);
  await rename(draft, dir);
  return dir;
}

/** Ends labs whose owner is gone, should their reaper be gone too. */
export async function sweepLabs(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    const owner = await readFile(join(tmpdir(), name, 'owner'), 'utf8').catch(() => '0 0');
    const [pid, since] = owner.split(' ');
    if (startTime(Number(pid)) !== since) await endLab(join(tmpdir(), name));
  }
}

/** Ends every process of the lab and waits until they are gone, then removes namespace and directory. */
export async function endLab(dir: string): Promise<void> {
  const namespace = basename(dir);
  const deadline = Date.now() + END_TIMEOUT_MS;
  // Again until there are none: a BMC may be in the middle of starting its machine.
  for (let pids = await pidsInside(namespace); pids.length > 0; pids = await pidsInside(namespace)) {
    if (Date.now() > deadline) throw new Error(`processes ${pids.join(', ')} of lab ${dir} do not end`);
    for (const pid of pids) killIfThere(pid);
    await sleep(POLL_MS);
  }
  await execa('ip', ['netns', 'del', namespace], { reject: false });
  await rm(dir, { recursive: true, force: true });
}

export async function pidsInside(namespace: string): Promise<number[]> {
  // Fails when the namespace was never made or is gone: nothing runs in it then.
  const listed = await execa('ip', ['netns', 'pids', namespace], { reject: false });
  return listed.stdout
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 1);
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Start time of a process in clock ticks (proc(5), field 22); '' when there is none. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in field 2 may hold spaces and parentheses: fields count from its last one.
    return stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
