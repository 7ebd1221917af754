/**
 * The unmodified `openstack` client against a conductor started like an operator's, with fake machines: all commands
 * with clouds.yaml of type password, and the life of a server with the other types.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawDisk } from '../fakes/image-files.ts';
import type { Ran } from './interactive-client.ts';
import { type CloudKind, type OpenstackCloud, startOpenstackCloud } from './openstack-cloud.ts';
import { ALL, ENDS, IN_EVERY_CLOUD, NEWER, type Row } from './openstack-commands.ts';

const ERROR =
  /\(HTTP \d{3}\)|\d{3}: Client Error|^usage: |Traceback|is not an openstack command|error: |^No Flavor found/m;

/** One client for each version, because the client's compute API version is fixed when it starts. */
interface Part {
  readonly rows: readonly Row[];
  readonly env?: Readonly<Record<string, string>>;
}

const CLOUDS: readonly (readonly [CloudKind, readonly Part[]])[] = [
  ['password', [{ rows: ALL }, { rows: NEWER, env: { OS_COMPUTE_API_VERSION: '2.72' } }, { rows: ENDS }]],
  ['http_basic', [{ rows: IN_EVERY_CLOUD }]],
  ['none', [{ rows: IN_EVERY_CLOUD }]],
];

const commandOf = ([command, shows, how]: Row) => (how === 'until' ? { command, until: shows } : { command });

describe.each(CLOUDS)('openstack with clouds.yaml of type %s', (kind, parts) => {
  const rows = parts.flatMap((part) => part.rows);
  const ran: Ran[] = [];
  let cloud: OpenstackCloud;

  beforeAll(async () => {
    cloud = await startOpenstackCloud(kind, 4);
    await writeFile(join(cloud.dir, 'disk.raw'), rawDisk());
    await writeFile(join(cloud.dir, 'user-data'), '#cloud-config\n');
    try {
      for (const part of parts) ran.push(...(await cloud.run(part.rows.map(commandOf), part.env)));
    } finally {
      const results = ran.map(({ command, output }) =>
        ERROR.test(output) ? `refused  ${command}: ${output.split('\n').at(-1)}` : `ok       ${command}`,
      );
      process.stdout.write(`openstack, ${kind}, ${ran.length} commands:\n${results.join('\n')}\n`);
    }
  }, 200_000);
  afterAll(async () => cloud?.[Symbol.asyncDispose]());

  it.each(rows.map(([command, shows, how], index) => ({ command, shows, how, index })))(
    '$command',
    ({ shows, how, index }) => {
      const output = ran[index]?.output ?? 'it was not run';
      if (how === 'refused') expect(output).toMatch(ERROR);
      else expect(output).not.toMatch(ERROR);
      expect(output).toMatch(shows);
    },
  );
});
