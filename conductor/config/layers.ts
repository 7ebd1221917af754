/**
 * Values from defaults < file < environment < flags, each with its origin. All problems are collected, so that they are
 * reported together.
 */

import type { Setting } from '../domain/setting.ts';
import { closest } from './closest.ts';
import { environmentName, SETTING_ROWS, type SettingKey, type Values } from './settings.ts';
import { parseSetting, productValue, type SettingValue } from './values.ts';

export interface Layers {
  /** The parsed YAML document, null when there is no file. */
  readonly file: unknown;
  readonly fileName: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** By setting key. */
  readonly flags: Readonly<Partial<Record<SettingKey, unknown>>>;
}

export interface Resolved {
  readonly values: Values;
  /** In the form and units of the file. */
  readonly written: Readonly<Record<SettingKey, SettingValue | null>>;
  /** `default`, `file PATH`, `INGOT_X`, or the flag. */
  readonly origins: Readonly<Record<SettingKey, string>>;
  readonly problems: readonly string[];
}

/** Our environment variables that are not settings. */
const OTHER_VARIABLES = ['INGOT_CONFIG'];

interface Found {
  readonly raw: unknown;
  readonly origin: string;
}

export function resolveLayers(layers: Layers): Resolved {
  const problems: string[] = [];
  const file = flatten(layers.file, problems, layers.fileName);
  problems.push(...unknownNames(file, layers));
  const values: Record<string, unknown> = {};
  const written: Record<string, SettingValue | null> = {};
  const origins: Record<string, string> = {};
  for (const [key, spec] of SETTING_ROWS) {
    const found = find(key, spec, file, layers);
    written[key] = spec.default;
    origins[key] = found?.origin ?? 'default';
    if (found !== undefined) {
      const parsed = parseSetting(spec, found.raw);
      if (parsed.ok) written[key] = parsed.value;
      else problems.push(`${spec.name} (${found.origin}): ${parsed.reason}`);
    }
    values[key] = productValue(spec, written[key]);
  }
  return {
    values: values as Values,
    written: written as Resolved['written'],
    origins: origins as Resolved['origins'],
    problems,
  };
}

/** The layer with the highest precedence that has the setting. Empty variables count as not set. */
function find(
  key: SettingKey,
  spec: Setting,
  file: ReadonlyMap<string, unknown>,
  layers: Layers,
): Found | undefined {
  const flag = layers.flags[key];
  if (flag !== undefined) return { raw: flag, origin: spec.flag?.split(' ')[0] ?? 'flag' };
  const variable = environmentName(spec.name);
  const text = layers.environment[variable];
  if (text !== undefined && text !== '') return { raw: text, origin: variable };
  const raw = file.get(spec.name);
  return raw === undefined || raw === null ? undefined : { raw, origin: `file ${layers.fileName}` };
}

/** `{api: {listen: x}}` as `api.listen -> x`. */
function flatten(document: unknown, problems: string[], fileName: string): Map<string, unknown> {
  const flat = new Map<string, unknown>();
  if (document === null || document === undefined) return flat;
  if (typeof document !== 'object' || Array.isArray(document)) {
    problems.push(`${fileName}: must hold a mapping of settings`);
    return flat;
  }
  for (const [name, value] of Object.entries(document)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) flat.set(name, value);
    else for (const [inner, leaf] of flatten(value, problems, fileName)) flat.set(`${name}.${inner}`, leaf);
  }
  return flat;
}

function unknownNames(file: ReadonlyMap<string, unknown>, layers: Layers): string[] {
  const names = SETTING_ROWS.map(([, { name }]) => name);
  const variables = [...names.map(environmentName), ...OTHER_VARIABLES];
  const inFile = [...file.keys()]
    .filter((name) => !names.includes(name))
    .map((name) => `${layers.fileName}: there is no setting "${name}"${hint(closest(name, names))}`);
  const inEnvironment = Object.keys(layers.environment)
    .filter((name) => name.startsWith('INGOT_') && !variables.includes(name))
    .map((name) => `environment: there is no setting ${name}${hint(closest(name, variables))}`);
  return [...inFile, ...inEnvironment];
}

const hint = (name: string | undefined): string => (name === undefined ? '' : `, did you mean ${name}?`);
