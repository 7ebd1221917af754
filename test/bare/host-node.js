/** The Node and npm of this host, with which the bare root starts npm. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fail, pathOf } from './program.js';

/** Their path in the root. */
export const NODE_DIR = '/opt/node';

/** Paths of the node executable and of npm's directory. */
export function hostNode() {
  const started = process.env.npm_execpath ?? pathOf('npm');
  if (started === undefined) fail('npm was not found in PATH');
  const npm = dirname(dirname(realpathSync(started)));
  if (!existsSync(join(npm, 'bin/npm-cli.js'))) fail(`npm was not found at ${npm}`);
  return { node: realpathSync(process.execPath), npm };
}
