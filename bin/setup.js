/**
 * Makes a bare Debian 12 ready: system packages through apt-get, npm packages from the lock file.
 *
 * Plain JavaScript on nothing but Node's own modules, since it runs before anything is installed,
 * on whatever Node starts npm. What is there already is left alone; a second run takes a moment.
 * Usage: node bin/setup.js [SCRIPT [ARGUMENT...]]
 *
 * SCRIPT is then run by the Node just installed. That is done here and not by `&&` in package.json: the shell
 * remembers where it found `node` the first time, which on a fresh clone is the system's old one.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireLocked } from './installed-packages.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const STAMP = join(ROOT, 'node_modules', '.installed');
const PROGRAMS = join(ROOT, 'bin', 'programs.json');
const POLICY = '/usr/sbin/policy-rc.d';

function run(command, args, options = {}) {
  const done = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], cwd: ROOT, ...options });
  if (done.error) fail(`${command} could not be started: ${done.error.message}`);
  if (done.status !== 0) fail(`${command} ${args.join(' ')} failed`);
}

function fail(text) {
  console.error(`setup: ${text}`);
  process.exit(1);
}

/** Names from the list that dpkg does not know as installed. */
function missing(packages) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own format language
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Package} ${db:Status-Abbrev}\n', ...packages], {
    encoding: 'utf8',
  });
  const installed = new Set(
    (stdout ?? '')
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([, status]) => status === 'ii')
      .map(([name]) => name),
  );
  return packages.filter((name) => !installed.has(name));
}

function installSystemPackages() {
  const { host } = JSON.parse(readFileSync(PROGRAMS, 'utf8'));
  const wanted = missing(host.map((row) => row.package));
  if (wanted.length === 0) return;
  if (process.getuid?.() !== 0) fail(`run as root, or install these packages first: ${wanted.join(' ')}`);
  console.log(`setup: installing ${wanted.length} system packages`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['update', '-qq'], { env });
  withoutServices(() =>
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...wanted], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
}

/** Some packages bring services that only tests start, each for itself: Debian's own switch keeps them off (policy-rc.d). */
function withoutServices(install) {
  if (existsSync(POLICY)) return install();
  const remove = () => rmSync(POLICY, { force: true });
  // A failed installation ends the process at once.
  process.once('exit', remove);
  writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  install();
  remove();
}

/**
 * `npm ci` refuses a lock file in which an optional package of another platform is missing, and registries that mirror
 * only some platforms make such lock files. Then `npm install` does it. Either way the result is compared with the lock
 * file.
 */
function installNpmPackages() {
  const lock = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
  const complete = ['node', 'vitest'].every((name) => existsSync(join(ROOT, 'node_modules/.bin', name)));
  if (complete && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lock) return;
  console.log('setup: installing npm packages');
  const quietly = ['--no-audit', '--no-fund', '--loglevel=error'];
  const clean = spawnSync('npm', ['ci', ...quietly], { stdio: 'ignore', cwd: ROOT });
  if (clean.status !== 0) run('npm', ['install', '--no-save', ...quietly]);
  requireLocked(ROOT);
  writeFileSync(STAMP, lock);
}

function runScript(script, args) {
  const node = join(ROOT, 'node_modules/.bin/node');
  // Programs of the dependencies ask for `node` by name; npm sets this, a call by hand does not.
  const path = `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`;
  const child = spawn(node, [join(ROOT, script), ...args], {
    stdio: 'inherit',
    env: { ...process.env, PATH: path },
  });
  // A Ctrl-C reaches the script by itself, being of the same process group; its own ending is waited for.
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('error', (error) => fail(`${script} could not be started: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** By the Node just installed, which the bundle is for. A source newer than it is run as it is, so a failure here costs speed only. */
function makeBundle() {
  const node = join(ROOT, 'node_modules/.bin/node');
  const probe = "process.exit((await import('./bin/bundle.js')).freshBundle() === undefined ? 1 : 0)";
  const fresh = spawnSync(node, ['--input-type=module', '-e', probe], { cwd: ROOT }).status === 0;
  if (!fresh) run(node, [join(ROOT, 'bin/bundle.js')]);
}

const [script, ...args] = process.argv.slice(2);
installSystemPackages();
installNpmPackages();
makeBundle();
if (script !== undefined) runScript(script, args);
