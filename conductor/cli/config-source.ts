/**
 * Reads the configuration for the command line: from flags, the YAML file, the environment, and the machine itself
 * (host name, network interfaces).
 */
import { readFileSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import type { Command } from 'commander';
import { type LoadedConfig, loadConfig } from '../config/config.ts';
import { SETTING_ROWS } from '../config/settings.ts';
import { CommandFailure } from './failure.ts';

const flagged = SETTING_ROWS.filter(([, spec]) => spec.flag !== undefined);

/** Name under which commander stores an option: `--force-insecure` is `forceInsecure`. */
const optionKey = (flag: string): string =>
  flag
    .split(' ')[0]!
    .slice(2)
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

export function addConfigOptions(command: Command): Command {
  command.option('--config <file>', 'YAML file with settings (INGOT_CONFIG)');
  for (const [, spec] of flagged) command.option(spec.flag!, spec.help);
  return command;
}

/** The configuration from the command line's options, the file and the environment. */
export async function readConfig(options: Readonly<Record<string, unknown>>): Promise<LoadedConfig> {
  const given = options['config'] ?? process.env['INGOT_CONFIG'];
  const fileName = typeof given === 'string' && given !== '' ? given : null;
  const flags = flagged.flatMap(([key, spec]) => {
    const value = options[optionKey(spec.flag!)];
    return value === undefined ? [] : [[key, value]];
  });
  return loadConfig(
    {
      file: fileName === null ? null : await readYaml(fileName),
      fileName: fileName ?? 'config file',
      environment: process.env,
      flags: Object.fromEntries(flags),
    },
    { hostName: hostname(), interfaces: networkInterfaces() },
  );
}

async function readYaml(path: string): Promise<unknown> {
  // Loaded only if there is a file, so that a conductor without one starts faster.
  const { parse } = await import('yaml');
  try {
    return parse(readFileSync(path, 'utf8'), { maxAliasCount: 0 });
  } catch (error) {
    throw new CommandFailure(`${path}: ${(error as Error).message}`, 2);
  }
}

/** Returns the configuration, or throws a failure that lists all errors in it. */
export function requireConfig(loaded: LoadedConfig) {
  if (loaded.ok) return loaded.config;
  throw new CommandFailure(
    `the configuration can not be used:\n${loaded.problems.map((one) => `  ${one}\n`).join('')}`,
    2,
  );
}
