/** The arguments of genisoimage and the use of its result; the program itself is replaced. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Json } from '../domain/json.ts';
import type { Node } from '../domain/node.ts';
import { createConfigDriveBuilder } from './config-drive.ts';

type Genisoimage = (program: string, args: string[], options: object) => Promise<object>;
const genisoimage = vi.hoisted(() => vi.fn<Genisoimage>());
vi.mock('execa', () => ({ execa: genisoimage }));

interface Started {
  readonly program: string;
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** The files as the program finds them: path -> contents and mode. */
  readonly files: Readonly<Record<string, readonly [text: string, mode: string]>>;
}

const node = { uuid: '1be26c0b-03f2-4d2e-ae87-c02d7f33c123', name: 'n1' } as Node;
const { signal } = new AbortController();
let started: Started[];
let result: object;
beforeEach(() => {
  started = [];
  result = { failed: false };
  genisoimage.mockImplementation((program, args, options) => {
    const [root, image] = [args.at(-1)!, args[args.indexOf('-o') + 1]!];
    const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
      statSync(join(root, path)).isFile(),
    );
    const files = paths.map((path) => {
      const mode = (statSync(join(root, path)).mode & 0o777).toString(8);
      return [path, [readFileSync(join(root, path), 'latin1'), mode]];
    });
    started.push({ program, args, options: options as Started['options'], files: Object.fromEntries(files) });
    writeFileSync(image, 'the image');
    return Promise.resolve(result);
  });
});

const build = (drive: Json) => createConfigDriveBuilder().build(drive, node, signal);
const workOf = ({ args }: Started) => dirname(args.at(-1)!);

it('all files exist, readable only by their owner, when genisoimage starts', async () => {
  const drive = await build({
    user_data: 'first',
    files: { 'content/0000': 'aGk=', 'content/0001': 'eW8=' },
  });
  expect(started[0]?.files).toEqual({
    'openstack/latest/meta_data.json': [expect.stringContaining(node.uuid), '600'],
    'openstack/latest/user_data': ['first', '600'],
    'openstack/content/0000': ['hi', '600'],
    'openstack/content/0001': ['yo', '600'],
  });
  expect(gunzipSync(Buffer.from(drive, 'base64')).toString()).toBe('the image');
});

it('genisoimage creates a config-2 image with long names, and can be cancelled', async () => {
  await build({});
  const [{ program, args, options }] = started as [Started];
  expect([program, ...args.slice(0, 7)].join(' ')).toBe(
    'genisoimage -quiet -R -J -input-charset utf-8 -V config-2',
  );
  expect(options).toMatchObject({ cancelSignal: signal, timeout: 60_000, reject: false });
});

it('leaves no files behind', async () => {
  await build({});
  expect(existsSync(workOf(started[0]!))).toBe(false);
});

it.each([
  [{ failed: true, stderr: 'no space', shortMessage: 'exit code 1' }, 'no space'],
  [{ failed: true, stderr: '', shortMessage: 'spawn genisoimage ENOENT' }, 'spawn genisoimage ENOENT'],
  [{ failed: true, stderr: `${'x'.repeat(400)}the end`, shortMessage: '' }, `${'x'.repeat(293)}the end`],
])('a failure is told in the words of the program, and nothing is left', async (failed, words) => {
  result = failed;
  await expect(build({})).rejects.toMatchObject({
    code: 'imageFailure',
    message: `building the config drive failed in genisoimage: ${words}`,
  });
  expect(existsSync(workOf(started[0]!))).toBe(false);
});
