/** Runs programs of the host, and ends this process with a message when one fails. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export function fail(text) {
  console.error(`bare: ${text}`);
  process.exit(1);
}

export const pathOf = (program) =>
  (process.env.PATH ?? '')
    .split(':')
    .map((dir) => join(dir, program))
    .find((path) => existsSync(path));

export const isInstalled = (program) => pathOf(program) !== undefined;

/** Runs a program to its end. When it fails, ends this process with a message that contains `meaning`. */
export function run(program, args, options = {}, meaning = undefined) {
  const done = spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
  if (done.status === 0) return done;
  const reason = done.error?.message ?? `exit code ${done.status ?? done.signal}`;
  fail(`${meaning === undefined ? '' : `${meaning}: `}${program} ${args.join(' ')} failed: ${reason}`);
}

/** The output of a program without the last newline; '' when it fails. */
export function ask(program, args, options = {}) {
  const { stdout, status } = spawnSync(program, args, { encoding: 'utf8', ...options });
  return status === 0 ? stdout.trimEnd() : '';
}
