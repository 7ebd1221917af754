/**
 * The README's two commands on a Debian 12 that has nothing yet: a fresh root file system made by mmdebstrap, in mount,
 * process and IPC namespaces of its own. Of this host it gets the kernel with its devices and network, the settings of
 * apt and npm, the Node and npm that run this, and package caches. Everything else is what the set-up installs.
 *
 * Plain JavaScript on nothing but Node's own modules: it runs on a clean clone. Needs root.
 * Usage: node test/bare/run.js [NPM-ARGUMENT...]     without arguments: `npm run demo`, then `npm test`
 *
 * Nothing is mounted outside the namespaces, so nothing has to be unmounted however this ends. What a killed run
 * leaves is a directory, which the next run removes.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSpace, claimDirectory, removeDirectory, sweepDirectories } from './directory.js';
import { fail, isInstalled, run } from './program.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const TWO_COMMANDS = [['run', 'demo'], ['test']];
/** In this order each becomes the next, up to unshare, which ends its child, and with it all others, when it ends. */
const ENTER = [
  ...['setpriv', '--pdeathsig', 'KILL'],
  ...['unshare', '--mount', '--propagation', 'private', '--ipc', '--pid', '--fork', '--kill-child'],
  join(HERE, 'first-process.sh'),
];
const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function checkHost() {
  if (process.platform !== 'linux') fail('needs Linux');
  if (process.getuid() !== 0) fail('run as root: it makes mounts and namespaces');
  if (!isInstalled('apt-get')) fail('needs apt-get, which makes the root file system');
  if (!isInstalled('mmdebstrap')) {
    console.log('bare: installing mmdebstrap');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    run('apt-get', ['update', '-qq'], { env });
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'mmdebstrap'], { env });
  }
  const [program, ...args] = [...ENTER.slice(0, -1), 'mount', '-t', 'tmpfs', 'none', '/mnt'];
  run(
    program,
    args,
    {},
    'this machine does not let root make namespaces and mounts, which a bare root needs',
  );
}

/** Resolves with the exit code of the commands, once every process of theirs is gone. */
function enter(dir, commands) {
  const [program, ...args] = [
    ...ENTER,
    process.execPath,
    join(HERE, 'inside.js'),
    dir,
    JSON.stringify(commands),
  ];
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    let stoppedBy;
    for (const signal of STOPPING)
      process.on(signal, () => {
        stoppedBy = signal;
        child.kill('SIGKILL');
      });
    child.once('error', (error) => fail(`${program} could not be started: ${error.message}`));
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[stoppedBy ?? signal]));
  });
}

const asked = process.argv.slice(2);
checkHost();
sweepDirectories();
checkSpace();
const dir = claimDirectory();
process.exitCode = await enter(dir, asked.length === 0 ? TWO_COMMANDS : [asked]);
removeDirectory(dir);
