/**
 * The table of settings as text: `--print-config` and docs/configuration.md.
 */

import type { Setting } from '../domain/setting.ts';
import type { Resolved } from './layers.ts';
import { environmentName, SETTING_ROWS, type SettingKey } from './settings.ts';

/** Settings whose names begin alike stand together, whichever rooms they are of. */
const rows = [
  ...Map.groupBy(SETTING_ROWS, ([, { name }]) => (name.includes('.') ? name.split('.')[0] : '')).values(),
].flat();

function shown(spec: Setting, value: unknown): string {
  if (value === null) return '(unset)';
  if (spec.secret) return '******';
  return Array.isArray(value) ? `[${value.join(', ')}]` : String(value);
}

/** Value and origin of every setting, one a line. */
export function printConfig({ written, origins }: Resolved): string {
  const lines = rows.map(([key, spec]) => [spec.name, shown(spec, written[key]), origins[key]] as const);
  const width = (index: 0 | 1) => Math.max(...lines.map((line) => line[index].length));
  return lines
    .map(([name, value, origin]) => `${name.padEnd(width(0))}  ${value.padEnd(width(1))}  ${origin}\n`)
    .join('');
}

function limits({ choices, min, max, unit }: Setting): string {
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ');
  const range = min === undefined ? '' : `${min} to ${max}`;
  return [range, unit ?? ''].filter((text) => text !== '').join(' ');
}

function section([, spec]: readonly [SettingKey, Setting]): string {
  const facts = [
    `default ${spec.default === null ? 'unset' : `\`${shown(spec, spec.default)}\``}`,
    limits(spec),
    `\`${environmentName(spec.name)}\``,
    spec.flag === undefined ? '' : `\`${spec.flag}\``,
  ].filter((fact) => fact !== '');
  return `### ${spec.name}\n\n${spec.help}\n\n${spec.type}; ${facts.join('; ')}\n`;
}

/** The whole of docs/configuration.md. */
export function referencePage(): string {
  return `# Configuration

<!-- Made by \`ingot config reference\`; a test holds it equal to the rows in settings.ts of each room. -->

Values come from, weakest first: the default, the YAML file (\`--config FILE\` or \`INGOT_CONFIG\`), the environment, the
command line. Dots nest in the file:

\`\`\`yaml
data_dir: /var/lib/ingot
interface: eth1
api:
  listen: 127.0.0.1:6385
dhcp:
  mode: reservation
\`\`\`

An unknown name is an error, in the file and among \`INGOT_*\` variables. \`ingot serve --print-config\` shows every value
with where it came from. Lists are written with commas in the environment.

${rows.map(section).join('\n')}`;
}
