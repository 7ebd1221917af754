#!/usr/bin/env -S node --max-semi-space-size=16
/**
 * The `ingot` command. Plain JavaScript that any Node can read: the program itself is TypeScript run as it is, or the
 * bundle made of it for `serve`, and needs Node 24, so an older Node hands over to the one installed with the dependencies.
 *
 * The flag above keeps what requests leave behind from growing to 128 MiB before it is looked through: a conductor of
 * 10,000 nodes under load takes 155 MiB instead of 260. It can not be set once the program runs.
 */
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const MIN_NODE = 24;
const here = realpathSync(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));

// Whoever reads may have heard enough: `ingot openapi | head`.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

if (Number(process.versions.node.split('.')[0]) >= MIN_NODE) {
  // Types are stripped and modules compiled once, not at every start. Beside the modules, as nobody else may write there.
  module.enableCompileCache(join(root, 'node_modules', '.cache', 'ingot'));
  const bundle = process.argv[2] === 'serve' ? (await import('./bundle.js')).freshBundle() : undefined;
  const { start } = await import(bundle === undefined ? './start.js' : pathToFileURL(bundle).href);
  process.exitCode = await start(process.argv);
} else {
  handOver(join(root, 'node_modules', '.bin', 'node'));
}

/** Runs this file again under `node`, with our signals and its exit code passed on. */
function handOver(node) {
  if (!existsSync(node)) {
    fail(
      `needs Node ${MIN_NODE} or newer, this is ${process.version}. Run "npm ci" in ${root}, which brings one along, or install a newer Node.`,
    );
  }
  const child = spawn(node, [...process.execArgv, here, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`${node} could not be started: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

function fail(text) {
  console.error(`ingot: ${text}`);
  process.exit(1);
}
