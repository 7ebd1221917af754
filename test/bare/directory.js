/**
 * Directories of root file systems. DIR/disk.img is an image file that is mounted on DIR/disk, in the namespaces
 * only; DIR/owner names the owning process. An image file is much faster to write and remove than the hundred
 * thousand files in it, and it is on a disk because the virtual machines of the lab need the memory.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fail } from './program.js';

/** The parent directory; directory.test.ts sets another one. */
const PARENT = process.env.INGOT_BARE_PARENT ?? '/var/tmp';
const PREFIX = 'ingot-bare-';
const NEEDED_BYTES = 12 * 1024 ** 3;
/** A sparse file: it needs only the space that is written. */
const DISK_BYTES = 40 * 1024 ** 3;

/** The image file, and its mount point. */
export const imageOf = (dir) => join(dir, 'disk.img');
export const diskOf = (dir) => join(dir, 'disk');

export function checkSpace() {
  const { bavail, bsize } = statfsSync(PARENT);
  const free = bavail * bsize;
  if (free < NEEDED_BYTES)
    fail(`${PARENT} has ${gib(free)} GiB free, a bare root with its tests needs ${gib(NEEDED_BYTES)} GiB`);
}

export function claimDirectory() {
  const dir = mkdtempSync(join(PARENT, PREFIX));
  writeFileSync(join(dir, 'owner'), `${process.pid} ${startTime(process.pid)}`);
  mkdirSync(diskOf(dir));
  writeFileSync(imageOf(dir), '');
  truncateSync(imageOf(dir), DISK_BYTES);
  return dir;
}

const gib = (bytes) => (bytes / 1024 ** 3).toFixed(1);

/** Removes the directories of killed runs. */
export function sweepDirectories() {
  for (const name of readdirSync(PARENT).filter((one) => one.startsWith(PREFIX))) {
    const dir = join(PARENT, name);
    const owner = ownerOf(dir);
    // A directory without an owner was just created, or is half removed and then empty.
    if (owner !== undefined && startTime(owner.pid) !== owner.since) removeDirectory(dir);
  }
}

/** Mounts exist only in other namespaces and are invisible here. If one is visible, nothing below it is removed. */
export function removeDirectory(dir) {
  const mounted = readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${dir}/`);
  if (mounted) fail(`something is mounted below ${dir}, which is left as it is; unmount it first`);
  rmSync(dir, { recursive: true, force: true });
}

function ownerOf(dir) {
  try {
    const [pid, since] = readFileSync(join(dir, 'owner'), 'utf8').split(' ');
    return { pid, since };
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Start time of a process in clock ticks (proc(5), field 22); '' when there is none. */
function startTime(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19];
  } catch {
    return '';
  }
}
