/**
 * Every command of the unmodified `baremetal` client, against a conductor started like an operator's. A command passes if
 * it prints the expected output and no error. The list of commands is compared with the client's own.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOurs } from '../conformance/ours.ts';
import { COMMANDS, FILES } from './baremetal-commands.ts';
import { runBaremetal } from './baremetal-shell.ts';
import type { Ran } from './interactive-client.ts';

const ERROR = /\(HTTP \d{3}\)|^usage: |Traceback|is not a baremetal command|error: /m;

let dir: string;
let server: Awaited<ReturnType<typeof startOurs>>;
let ran: readonly Ran[];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-clients-'));
  for (const [name, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), JSON.stringify(content));
  }
  server = await startOurs();
  const commands = COMMANDS.map(([command]) => command.replaceAll('{dir}', dir));
  ran = await runBaremetal(server.baseUrl, commands);
  const results = ran.map(({ command, output }) =>
    ERROR.test(output) ? `refused  ${command}: ${output.split('\n').at(-1)}` : `ok       ${command}`,
  );
  process.stdout.write(`baremetal, ${ran.length} commands:\n${results.join('\n')}\n`);
}, 300_000);
afterAll(async () => {
  await server?.stop();
  await rm(dir, { recursive: true, force: true });
});

describe('the baremetal client', () => {
  it.each(COMMANDS.map(([command, shows, refused], index) => ({ command, shows, refused, index })))(
    '$command',
    ({ shows, refused, index }) => {
      const output = ran[index]?.output ?? '';
      if (refused === 'refused') expect(output).toMatch(ERROR);
      else expect(output).not.toMatch(ERROR);
      expect(output).toMatch(shows);
    },
  );

  it('runs every command of the client', async () => {
    const { stdout } = await promisify(execFile)('/usr/bin/python3', [
      '-c',
      [
        'from importlib.metadata import entry_points',
        "for p in entry_points(group='openstack.baremetal.v1'): print(p.name)",
      ].join('\n'),
    ]);
    const known = stdout
      .trim()
      .split('\n')
      .map((name) => name.replace(/^baremetal_/, '').replaceAll('_', ' '));
    const tried = (name: string): boolean =>
      COMMANDS.some(([command]) => `${command} `.startsWith(`${name} `));
    expect(known.length).toBeGreaterThan(80);
    expect(known.filter((name) => !tried(name))).toEqual([]);
  });
});
