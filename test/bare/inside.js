/**
 * Runs in the namespaces: creates the root file system, mounts what it gets from the host, and runs npm in it.
 *
 * Usage: node inside.js DIR COMMANDS (JSON: a list of npm arguments for each command)
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { diskOf, imageOf } from './directory.js';
import { hostNode, NODE_DIR } from './host-node.js';
import { keepPackages, lendPackages } from './package-cache.js';
import { ask, fail, run } from './program.js';
import { aptSources, copySettings, writeAptSettings } from './settings.js';
import { CLONE, copySources, SOURCE } from './sources.js';

const SUITE = 'bookworm';
const PATH = `${NODE_DIR}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;
/** Environment variables that are passed on: terminal settings, CI, and proxies. */
const PASSED_ON = [
  /^(CI|TERM|NO_COLOR|FORCE_COLOR|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/,
  /^(npm_config_)?((https?|no|all)_?proxy|registry|cafile|strict_ssl)$/i,
];

const [dir, commands] = process.argv.slice(2);
const disk = diskOf(dir);
const root = join(disk, 'root');

/** The file system is thrown away, so it has no journal and is not flushed to the disk. */
function mountDisk() {
  run('mkfs.ext4', ['-q', '-O', '^has_journal', '-E', 'nodiscard,lazy_itable_init=1', imageOf(dir)]);
  mount('-t', 'ext4', '-o', 'loop,noatime,nobarrier', imageOf(dir), disk);
}

function makeRoot() {
  mkdirSync(root);
  // A mount point, like any root, because `ip netns exec` changes the propagation of mounts at /.
  mount('--bind', root, root);
  const settings = join(dir, 'apt.conf');
  writeAptSettings(settings);
  lendPackages(disk, root);
  // The packages in it come from the host; downloaded ones stay, for keepPackages.
  const skipped = '--skip=check/empty,cleanup/apt';
  const args = ['--quiet', '--mode=root', '--variant=minbase', skipped, `--aptopt=${settings}`];
  run('mmdebstrap', [...args, SUITE, root, ...aptSources(SUITE)]);
  copySettings(root);
  copySources(root);
}

function mount(...args) {
  run('mount', args);
}

/** A bind mount becomes read-only only in a second step. */
function bind(from, to, { writable = false } = {}) {
  mount('--bind', from, to);
  if (!writable) mount('-o', 'remount,bind,ro', to);
}

function mountIntoRoot() {
  const at = (path) => join(root, path);
  mount('-t', 'proc', 'proc', at('proc'));
  mount('-t', 'sysfs', 'sysfs', at('sys'));
  // All devices of the kernel, so that partitions of loop devices appear when they are created.
  mount('--rbind', '/dev', at('dev'));
  mount('-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', at('run'));
  bindNode();
  for (const [from, to] of [
    [ask('npm', ['config', 'get', 'cache']) || join(homedir(), '.npm'), 'root/.npm'],
    [join(SOURCE, '.cache/debs'), join(CLONE, '.cache/debs')],
  ]) {
    mkdirSync(from, { recursive: true });
    mkdirSync(at(to), { recursive: true });
    bind(from, at(to), { writable: true });
  }
}

function bindNode() {
  const { node, npm } = hostNode();
  const at = (path) => join(root, NODE_DIR, path);
  for (const path of ['bin', 'lib/node_modules/npm']) mkdirSync(at(path), { recursive: true });
  writeFileSync(at('bin/node'), '');
  bind(node, at('bin/node'));
  bind(npm, at('lib/node_modules/npm'));
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, at(`bin/${name}`));
}

function environment() {
  const passed = Object.entries(process.env).filter(([name]) =>
    PASSED_ON.some((pattern) => pattern.test(name)),
  );
  const fixed = { PATH, HOME: '/root', USER: 'root', SHELL: '/bin/sh', LANG: 'C.UTF-8' };
  return { ...Object.fromEntries(passed), ...fixed, NPM_CONFIG_GLOBALCONFIG: '/etc/npmrc' };
}

function inRoot(program, args) {
  const { status, error } = spawnSync('chroot', [root, '/usr/bin/env', '-C', CLONE, program, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: environment(),
  });
  if (error) fail(`chroot could not be started: ${error.message}`);
  return status ?? 1;
}

console.log(`bare: making a ${SUITE} root file system in ${root}`);
mountDisk();
makeRoot();
mountIntoRoot();
if (inRoot('npm', ['--version']) !== 0)
  fail("this host's Node or npm does not start in a minimal Debian; use one that needs no other packages");
for (const command of JSON.parse(commands)) {
  console.log(`bare: npm ${command.join(' ')}`);
  process.exitCode = inRoot('npm', command);
  keepPackages(disk);
  if (process.exitCode !== 0) break;
}
