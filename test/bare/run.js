/**
 * The README's two commands on a fresh Debian 12: a new root file system made by mmdebstrap, in its own mount,
 * process and IPC namespaces. From this host it gets the kernel with its devices and network, the settings of apt and
 * npm, Node and npm, and package caches. The set-up installs everything else.
 *
 * Plain JavaScript with only Node's own modules, because it runs in a clean clone. Needs root.
 *
 * Usage: node test/bare/run.js [NPM-ARGUMENT...]
 *
 *   without arguments: `npm run demo`, then `npm test`
 *
 * Nothing is mounted outside the namespaces, so nothing has to be unmounted at any end. A killed run leaves a
 * directory, which the next run removes.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSpace, claimDirectory, removeDirectory, sweepDirectories } from './directory.js';
import { fail, isInstalled, run } from './program.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const TWO_COMMANDS = [['run', 'demo'], ['test']];
/** Each program executes the next. unshare ends its child, and with it all other processes, when it ends. */
const ENTER = [
  ...['setpriv', '--pdeathsig', 'KILL'],
  ...['unshare', '--mount', '--propagation', 'private', '--ipc', '--pid', '--fork', '--kill-child'],
  join(HERE, 'first-process.sh'),
];
const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function checkHost() {
  if (process.platform !== 'linux') fail('needs Linux');
  if (process.getuid() !== 0) fail('run as root: this creates mounts and namespaces');
  if (!isInstalled('apt-get')) fail('apt-get is missing, which creates the root file system');
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
    'this machine does not allow root to create namespaces and mounts, which a bare root needs',
  );
}

/** Resolves with the exit code of the commands when all their processes have ended. */
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
