/**
 * Debian packages are downloaded once: those that apt of this host keeps are lent to the root, and what the root
 * downloaded is kept there. An overlay, so that nothing in the root can remove a package from the host, and neither apt
 * waits for the other's lock.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './program.js';

const ARCHIVES = 'var/cache/apt/archives';
const KEPT = `/${ARCHIVES}`;

const downloadedIn = (disk) => join(disk, 'downloaded');

/** `disk` is where root lies and is writable. */
export function lendPackages(disk, root) {
  const [upper, work, to] = [downloadedIn(disk), join(disk, 'work'), join(root, ARCHIVES)];
  for (const dir of [upper, work, to, join(KEPT, 'partial')]) mkdirSync(dir, { recursive: true });
  run('mount', ['-t', 'overlay', '-o', `lowerdir=${KEPT},upperdir=${upper},workdir=${work}`, 'overlay', to]);
}

/** A file under its final name is whole. */
export function keepPackages(disk) {
  for (const name of readdirSync(downloadedIn(disk)).filter((one) => one.endsWith('.deb'))) {
    if (existsSync(join(KEPT, name))) continue;
    const draft = join(KEPT, `partial/${name}.${process.pid}`);
    copyFileSync(join(downloadedIn(disk), name), draft);
    renameSync(draft, join(KEPT, name));
  }
}
