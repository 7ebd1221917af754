/**
 * Debian packages are downloaded once: the root uses those in the host's apt cache, and the packages that it
 * downloads are copied there. The cache is mounted as an overlay, so that the root can not remove a package from the
 * host, and neither apt waits for the other's lock.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './program.js';

const ARCHIVES = 'var/cache/apt/archives';
const KEPT = `/${ARCHIVES}`;

const downloadedIn = (disk) => join(disk, 'downloaded');

/** `disk` contains the root and is writable. */
export function lendPackages(disk, root) {
  const [upper, work, to] = [downloadedIn(disk), join(disk, 'work'), join(root, ARCHIVES)];
  for (const dir of [upper, work, to, join(KEPT, 'partial')]) mkdirSync(dir, { recursive: true });
  run('mount', ['-t', 'overlay', '-o', `lowerdir=${KEPT},upperdir=${upper},workdir=${work}`, 'overlay', to]);
}

/** apt renames complete files to their final name. */
export function keepPackages(disk) {
  for (const name of readdirSync(downloadedIn(disk)).filter((one) => one.endsWith('.deb'))) {
    if (existsSync(join(KEPT, name))) continue;
    const draft = join(KEPT, `partial/${name}.${process.pid}`);
    copyFileSync(join(downloadedIn(disk), name), draft);
    renameSync(draft, join(KEPT, name));
  }
}
