/**
 * Who owns a lab, and how a lab is ended. A lab is a directory and a network namespace of the same name; every process
 * in that namespace belongs to the lab. Ending a lab twice is harmless.
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
 * Creates a lab's directory. It gets its final name only after its owner was recorded, because another lab that starts
 * at the same moment removes labs without an owner.
 */
export async function claimLab(): Promise<string> {
  const draft = await mkdtemp(join(tmpdir(), 'ingot-draft-'));
  await writeFile(join(draft, 'owner'), `${process.pid} ${startTime(process.pid)}`);
  const dir = join(tmpdir(), `${PREFIX}${randomBytes(4).toString('hex')}`);
  await rename(draft, dir);
  return dir;
}

/** Ends labs whose owner and reaper are both gone. */
export async function sweepLabs(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    const owner = await readFile(join(tmpdir(), name, 'owner'), 'utf8').catch(() => '0 0');
    const [pid, since] = owner.split(' ');
    if (startTime(Number(pid)) !== since) await endLab(join(tmpdir(), name));
  }
}

/** Ends all processes of the lab and waits until they are gone, then removes namespace and directory. */
export async function endLab(dir: string): Promise<void> {
  const namespace = basename(dir);
  const deadline = Date.now() + END_TIMEOUT_MS;
  // Repeated until there are none, because a BMC may be starting its machine.
  for (let pids = await pidsInside(namespace); pids.length > 0; pids = await pidsInside(namespace)) {
    if (Date.now() > deadline) throw new Error(`processes ${pids.join(', ')} of lab ${dir} do not end`);
    for (const pid of pids) killIfThere(pid);
    await sleep(POLL_MS);
  }
  await execa('ip', ['netns', 'del', namespace], { reject: false });
  await rm(dir, { recursive: true, force: true });
}

export async function pidsInside(namespace: string): Promise<number[]> {
  // Fails if the namespace does not exist; then no process runs in it.
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

/** Start time of a process in clock ticks (proc(5), field 22); '' if there is no such process. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in field 2 may contain spaces and parentheses, so fields are counted from its last parenthesis.
    return stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
