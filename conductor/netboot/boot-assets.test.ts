import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BootFakes, createBootFakes } from '../../test/fakes/netboot/boot-fakes.ts';
import { registerBootAssets } from './boot-assets.ts';

const nodeUuid = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
const MAC = '52:54:00:00:00:0a';
const KERNEL = Buffer.from(Uint8Array.from({ length: 3_000_000 }, (_, i) => (i * 13) & 0xff));

let dir: string;
let app: FastifyInstance;
const CLIENT = '127.0.0.1';
let fakes: BootFakes;
let warnings: object[];
let fetched: unknown[];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'boot-assets-'));
  for (const name of ['ramdisk', 'nbp']) await mkdir(join(dir, name));
  await writeFile(join(dir, 'ramdisk', 'vmlinuz'), KERNEL);
  await writeFile(join(dir, 'secret'), 'secret');
  await writeFile(join(dir, 'nbp', 'snponly.efi'), 'program');
  await symlink('../secret', join(dir, 'nbp', 'outside'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));
beforeEach(async () => {
  await app?.close();
  warnings = [];
  fetched = [];
  fakes = createBootFakes({ [MAC]: { kind: 'ramdisk', nodeUuid, kernelParams: [] } });
  app = fastify();
  registerBootAssets(app, {
    ...fakes,
    leasedTo: async () => CLIENT,
    now: () => new Date(0),
    httpBaseUrl: 'http://10.1.0.1:8089',
    ramdiskDir: join(dir, 'ramdisk'),
    nbpDir: join(dir, 'nbp'),
    recordNbp: (...sighting) => fetched.push(sighting),
    warn: (fields) => warnings.push(fields),
  });
});
afterAll(() => app.close());

describe('boot script over HTTP', () => {
  it.each(['52:54:00:00:00:0a', '52-54-00-00-00-0A'])('for %s', async (mac) => {
    const answer = await app.inject(`/boot/script.ipxe?mac=${mac}`);
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(answer.body).toContain(`/boot/${nodeUuid}/vmlinuz`);
    expect(fakes.sightings).toMatchObject([{ kind: 'script', mac: MAC, detail: 'ramdisk' }]);
  });

  it('records a machine that is sent to its disk', async () => {
    fakes.decisions.set(MAC, { kind: 'disk', nodeUuid });
    expect((await app.inject(`/boot/script.ipxe?mac=${MAC}`)).body).toContain('sanboot');
    expect(fakes.seen()).toEqual(['disk boot']);
  });

  it('records neither unknown machines nor HEAD', async () => {
    expect((await app.inject('/boot/script.ipxe?mac=52:54:00:ff:ff:ff')).body).toContain('not known here');
    await app.inject({ method: 'HEAD', url: `/boot/script.ipxe?mac=${MAC}` });
    expect(fakes.seen()).toEqual([]);
  });

  it.each(['', '?mac=', '?mac=x', '?mac=52:54:00:00:00', `?mac=${MAC}&mac=${MAC}`, '?mac[]=1'])(
    'refuses %j',
    async (query) => {
      expect((await app.inject(`/boot/script.ipxe${query}`)).statusCode).toBe(400);
    },
  );
});

describe('kernel and ramdisk over HTTP', () => {
  it('serves the whole file and records its start and end', async () => {
    const answer = await app.inject(`/boot/${nodeUuid}/vmlinuz`);
    expect(answer.rawPayload.equals(KERNEL)).toBe(true);
    expect(fakes.sightings).toMatchObject([
      { kind: 'kernel start', nodeUuid },
      { kind: 'kernel done', nodeUuid, bytes: 3_000_000, detail: 'vmlinuz' },
    ]);
  });

  it.each([
    ['bytes=0-9', 206, 'bytes 0-9/3000000', [0, 10]],
    ['bytes=2999990-', 206, 'bytes 2999990-2999999/3000000', [2_999_990, 3_000_000]],
    ['bytes=-5', 206, 'bytes 2999995-2999999/3000000', [2_999_995, 3_000_000]],
    ['bytes=2999999-9999999', 206, 'bytes 2999999-2999999/3000000', [2_999_999, 3_000_000]],
    ['bytes=3000000-', 416, 'bytes */3000000', [0, 0]],
    ['bytes=9-3', 416, 'bytes */3000000', [0, 0]],
    ['bytes=-0', 416, 'bytes */3000000', [0, 0]],
    ['bytes=0-1,5-6', 200, undefined, [0, 3_000_000]],
    ['lines=1-2', 200, undefined, [0, 3_000_000]],
  ] as const)('range %s is %i', async (range, status, contentRange, [from, to]) => {
    const answer = await app.inject({ url: `/boot/${nodeUuid}/vmlinuz`, headers: { range } });
    expect([answer.statusCode, answer.headers['content-range']]).toEqual([status, contentRange]);
    expect(answer.rawPayload.equals(KERNEL.subarray(from, to))).toBe(true);
  });

  it('serves a range only of the file with which the transfer began', async () => {
    const headers = { range: 'bytes=0-9', 'if-range': '"another"' };
    expect((await app.inject({ url: `/boot/${nodeUuid}/vmlinuz`, headers })).statusCode).toBe(200);
    const { etag } = (await app.inject(`/boot/${nodeUuid}/vmlinuz`)).headers;
    const matching = { ...headers, 'if-range': String(etag) };
    expect((await app.inject({ url: `/boot/${nodeUuid}/vmlinuz`, headers: matching })).statusCode).toBe(206);
  });

  it('does not record a range as the whole file', async () => {
    await app.inject({ url: `/boot/${nodeUuid}/vmlinuz`, headers: { range: 'bytes=0-9' } });
    expect(fakes.seen()).toEqual(['kernel start']);
  });

  it('answers HEAD without a body and does not record it', async () => {
    const answer = await app.inject({ method: 'HEAD', url: `/boot/${nodeUuid}/vmlinuz` });
    expect([answer.statusCode, answer.headers['content-length'], answer.body]).toEqual([200, '3000000', '']);
    expect(fakes.seen()).toEqual([]);
  });

  it('says what to do when the ramdisk was not built', async () => {
    expect((await app.inject(`/boot/${nodeUuid}/ramdisk.img`)).statusCode).toBe(404);
    expect(warnings).toHaveLength(1);
  });
});

describe('boot programs over HTTP', () => {
  it('serves a program', async () => {
    await app.inject({ method: 'HEAD', url: '/boot/nbp/snponly.efi' });
    expect(fetched).toEqual([]);
    expect((await app.inject('/boot/nbp/snponly.efi')).body).toBe('program');
    expect(fetched).toEqual([
      ['nbp start', '127.0.0.1', { detail: 'snponly.efi' }],
      ['nbp done', '127.0.0.1', { detail: 'snponly.efi', bytes: 7 }],
    ]);
  });

  it.each([
    '/boot/nbp/outside',
    '/boot/nbp/..%2fsecret',
    '/boot/nbp/%2e%2e%2fsecret',
    '/boot/nbp/..',
    '/boot/nbp/.',
    '/boot/nbp/absent',
    '/boot/nbp/snponly.efi%00',
    '/boot/nbp/../../secret',
    '/boot/not-a-uuid/vmlinuz',
    `/boot/${nodeUuid}/secret`,
    `/boot/${nodeUuid}/..%2f..%2fsecret`,
  ])('serves nothing for %s', async (url) => {
    const answer = await app.inject(url);
    expect(answer.statusCode).toBe(404);
    expect(answer.body).not.toBe('secret');
  });
});
