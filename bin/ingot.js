#!/usr/bin/env -S node --max-semi-space-size=16
/**
 * The `ingot` command, in plain JavaScript that any Node version can read. The program itself is TypeScript, run
 * directly or, for `serve`, as a bundle. It needs Node 24; an older Node runs the one that was installed with the
 * dependencies.
 *
 * The flag in the first line limits V8's young generation, which otherwise grows to 128 MiB under load: a conductor with
 * 10,000 nodes needs 155 MiB instead of 260. The flag can not be set once the program runs.
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

// A reader may close the pipe early: `ingot openapi | head`.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

if (Number(process.versions.node.split('.')[0]) >= MIN_NODE) {
  // Keeps the compiled modules, so that they are not compiled at every start. Only root may write next to the modules.
  module.enableCompileCache(join(root, 'node_modules', '.cache', 'ingot'));
  const bundle = process.argv[2] === 'serve' ? (await import('./bundle.js')).freshBundle() : undefined;
  const { start } = await import(bundle === undefined ? './start.js' : pathToFileURL(bundle).href);
  process.exitCode = await start(process.argv);
} else {
  handOver(join(root, 'node_modules', '.bin', 'node'));
}

/** Runs this file again with `node`, passes signals on and exits with its exit code. */
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
