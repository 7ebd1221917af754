/**
 * Compares node_modules with package-lock.json: every package has the version and the digest of the lock file, and there
 * is no other one. Plain JavaScript on Node's own modules, since the set-up runs it on any Node.
 *
 * Usage: node bin/installed-packages.js
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const read = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));

/** What the install script of the package `node` fetches. Of it only the binary is used, which nodeDifference compares. */
const FETCHED_BY_NODE = 'node_modules/node/node_modules/';

/** One line per difference; none if all is as the lock file says. */
export function differences(root) {
  const lock = read(root, 'package-lock.json').packages;
  // npm's own list of what it has installed, with the digests that it has compared with the downloaded files.
  const installed = read(root, 'node_modules', '.package-lock.json').packages;
  const wanted = Object.entries(lock).filter(([path]) => path.includes('node_modules/'));
  return [
    ...wanted.flatMap(([path, one]) => [differenceOf(root, path, one, installed[path])].flat()),
    ...packagesIn(root, 'node_modules')
      .filter((path) => lock[path] === undefined && !path.startsWith(FETCHED_BY_NODE))
      .map((path) => `${path} is not in package-lock.json`),
  ];
}

function differenceOf(root, path, wanted, installed) {
  if (wanted.link === true) {
    const right =
      existsSync(join(root, path)) &&
      realpathSync(join(root, path)) === realpathSync(join(root, wanted.resolved));
    return right ? [] : `${path} is not a link to ${wanted.resolved}`;
  }
  if (!existsSync(join(root, path, 'package.json'))) {
    // Packages of other platforms.
    return wanted.optional === true || wanted.peer === true ? [] : `${path} is missing`;
  }
  const { name, version } = read(root, path, 'package.json');
  const expected = wanted.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  if (name !== expected) return `${path} is the package ${name}`;
  if (version !== wanted.version) return `${path} is ${version} and not ${wanted.version}`;
  if (wanted.integrity === undefined) return `${path} has no digest in package-lock.json`;
  if (installed === undefined) return `${path} was not installed by npm`;
  return installed.integrity === wanted.integrity ? [] : `${path} was installed with another digest`;
}

/** Paths of all packages in a node_modules directory and in those of its packages. */
function packagesIn(root, dir) {
  if (!existsSync(join(root, dir))) return [];
  const entries = readdirSync(join(root, dir), { withFileTypes: true }).filter(
    ({ name }) => !name.startsWith('.'),
  );
  return entries.flatMap((entry) => {
    const path = `${dir}/${entry.name}`;
    if (entry.name.startsWith('@')) return packagesIn(root, path);
    if (entry.isSymbolicLink()) return [path];
    if (!entry.isDirectory()) return [];
    return [
      ...(existsSync(join(root, path, 'package.json')) ? [path] : []),
      ...packagesIn(root, `${path}/node_modules`),
    ];
  });
}

/** The binary of Node comes from an install script, which the lock file does not cover. */
export function nodeDifference(root) {
  const { sha256 } = read(root, 'ramdisk-build', 'node-binary.json');
  const wanted = sha256[process.arch];
  if (wanted === undefined) return [];
  const binary = readFileSync(join(root, 'node_modules/node/bin/node'));
  const found = createHash('sha256').update(binary).digest('hex');
  return found === wanted
    ? []
    : [`node_modules/node/bin/node has the sha256 digest ${found} and not ${wanted}`];
}

/** Ends the process with an error if anything differs. */
export function requireLocked(root) {
  const found = [...differences(root), ...nodeDifference(root)];
  if (found.length === 0) return;
  console.error(
    `The installed packages are not those of package-lock.json:\n${found.map((one) => `  ${one}`).join('\n')}`,
  );
  console.error('Delete node_modules and run "node bin/setup.js".');
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) requireLocked(ROOT);
