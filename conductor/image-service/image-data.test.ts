/** The data of images: accepted and rejected uploads, downloads, and restarts. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { admin, member } from '../../test/fakes/compute/cloud.ts';
import {
  createTestImageService,
  OCTETS,
  type TestImageService,
} from '../../test/fakes/compute/test-image-service.ts';
import { backedQcow2, rawDisk, truncatedQcow2 } from '../../test/fakes/image-files.ts';
import { openStore } from '../store/sqlite/store.ts';

/** Looked at often: nothing here takes long. */
const eventually = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { interval: 5, timeout: 10_000 });

const hash = (algorithm: string, data: Uint8Array) => createHash(algorithm).update(data).digest('hex');

let test: TestImageService;
let base: string;
beforeAll(async () => {
  test = await createTestImageService({ settings: { maxBytes: 3_000_000 } });
  await test.app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(test.app.server.address() as AddressInfo).port}/image/v2/images`;
});
afterAll(() => test.close());
afterEach(async () => {
  expect((await test.files()).filter((name) => name.startsWith('.'))).toEqual([]);
});

const statusOf = async (uuid: string) => (await test.show(uuid)).status;
const CALLER = { 'x-test-caller': JSON.stringify(member('blue')) };

/** Another service that has received the first bytes of an upload. */
async function begunUpload(of: TestImageService): Promise<{ uuid: string; request: ClientRequest }> {
  await of.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = of.app.server.address() as AddressInfo;
  const uuid = await of.create();
  const request = httpRequest(`http://127.0.0.1:${port}/image/v2/images/${uuid}/file`, {
    method: 'PUT',
    headers: { ...CALLER, ...OCTETS },
  });
  request.on('error', () => undefined);
  request.write('first');
  await eventually(async () => expect(await of.files()).toHaveLength(1));
  return { uuid, request };
}

/** A PUT request whose body the test writes. */
function openUpload(uuid: string, headers: Readonly<Record<string, string>> = {}) {
  const request: ClientRequest = httpRequest(`${base}/${uuid}/file`, {
    method: 'PUT',
    headers: { ...CALLER, ...OCTETS, ...headers },
  });
  const answer = new Promise<number | string>((settle) => {
    request.once('response', (response) => settle(response.resume().statusCode ?? 0));
    request.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
  });
  return { request, answer };
}

describe('an upload', () => {
  it('is stored unchanged with its digests, and served whole or in ranges', async () => {
    const uuid = await test.create();
    const data = rawDisk(7);
    expect((await test.call('GET', `/v2/images/${uuid}/file`)).status).toBe(204);
    expect((await test.upload(uuid, data)).status).toBe(204);
    expect(await test.show(uuid)).toMatchObject({
      status: 'active',
      size: data.length,
      virtual_size: data.length,
      checksum: hash('md5', data),
      os_hash_algo: 'sha512',
      os_hash_value: hash('sha512', data),
    });
    expect((await readFile(join(test.dir, uuid))).equals(data)).toBe(true);

    const whole = await fetch(`${base}/${uuid}/file`, { headers: CALLER });
    expect(Buffer.from(await whole.arrayBuffer()).equals(data)).toBe(true);
    expect(whole.headers.get('content-md5')).toBe(hash('md5', data));
    expect(whole.headers.get('content-type')).toBe('application/octet-stream');
    const part = await fetch(`${base}/${uuid}/file`, { headers: { ...CALLER, range: 'bytes=10-19' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${data.length}`]);
    expect(Buffer.from(await part.arrayBuffer()).equals(data.subarray(10, 20))).toBe(true);
    const outside = await fetch(`${base}/${uuid}/file`, {
      headers: { ...CALLER, range: `bytes=${data.length}-` },
    });
    expect(outside.status).toBe(416);

    expect((await test.upload(uuid, data)).status).toBe(409);
    expect((await test.call('DELETE', `/v2/images/${uuid}`)).status).toBe(204);
    expect(existsSync(join(test.dir, uuid))).toBe(false);
    expect((await test.call('GET', `/v2/images/${uuid}/file`)).status).toBe(404);
  });

  it.each([
    ['nothing', 'qcow2', Buffer.alloc(0), 415, 'it is empty'],
    ['qcow2 as raw', 'raw', truncatedQcow2(), 415, 'disk_format says raw, but the data is qcow2'],
    ['raw as qcow2', 'qcow2', rawDisk(), 415, 'disk_format says qcow2, but the data is raw'],
    ['a cut qcow2', 'qcow2', truncatedQcow2(), 415, 'its L1 table ends'],
    ['a qcow2 with a backing file', 'qcow2', backedQcow2(), 415, 'backing file'],
    ['a disk that is cut', 'raw', rawDisk().subarray(0, 4096), 415, 'has partitions up to'],
    ['more than fits', 'raw', Buffer.alloc(3_000_001), 413, 'an image may have 3000000'],
  ])('rejects data: %s. The upload can be tried again', async (_, disk_format, data, status, text) => {
    const uuid = await test.create({ disk_format });
    const answer = await test.upload(uuid, data);
    expect(answer.status).toBe(status);
    expect(answer.body.error.message).toContain(text);
    expect(await statusOf(uuid)).toBe('queued');
    expect(await test.files()).not.toContain(uuid);
  });

  it.each([
    ['ari', randomBytes(100)],
    ['raw', randomBytes(4_000)],
    ['raw', Buffer.alloc(0)],
    ['raw', Buffer.from('\u001f\u008bgzip', 'latin1')],
    ['vmdk', Buffer.from('KDMV and so on')],
  ])('stores data of the format %s, which can not be deployed', async (disk_format, data) => {
    const uuid = await test.create({ disk_format });
    expect((await test.upload(uuid, data)).status).toBe(204);
    expect(await test.show(uuid)).toMatchObject({ status: 'active', size: data.length });
  });

  it('needs disk_format, container_format and the right content type', async () => {
    const uuid = await test.create({ disk_format: null });
    const answer = await test.upload(uuid, rawDisk());
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain('Properties disk_format must be set');
    expect((await test.call('PUT', `/v2/images/${uuid}/file`, {})).status).toBe(415);
    expect((await test.upload(randomUUID(), rawDisk())).status).toBe(404);
  });

  it('that breaks off leaves the image queued and can be repeated', async () => {
    const uuid = await test.create();
    const { request, answer } = openUpload(uuid, { 'content-length': '1000000' });
    request.write(rawDisk().subarray(0, 100_000));
    await eventually(async () => expect(await statusOf(uuid)).toBe('saving'));
    expect((await test.upload(uuid, rawDisk())).status).toBe(409);
    request.destroy();
    await answer;
    await eventually(async () => expect(await statusOf(uuid)).toBe('queued'));
    expect((await test.upload(uuid, rawDisk())).status).toBe(204);
  });

  it('of unknown length is rejected when it passes the size limit', async () => {
    const uuid = await test.create();
    const { request, answer } = openUpload(uuid);
    request.end(Buffer.alloc(3_500_000));
    expect(await answer).toBe(413);
    expect(await statusOf(uuid)).toBe('queued');
  });

  it('is aborted when its image is deleted, and leaves no file', async () => {
    const uuid = await test.create();
    const { request, answer } = openUpload(uuid);
    request.write('first');
    await eventually(async () => expect(await statusOf(uuid)).toBe('saving'));
    expect((await test.call('DELETE', `/v2/images/${uuid}`)).status).toBe(204);
    await test.create({ id: uuid });
    expect((await test.upload(uuid, rawDisk(3))).status).toBe(204);
    request.end('rest');
    expect(await answer).toBe(404);
    expect((await readFile(join(test.dir, uuid))).equals(rawDisk(3))).toBe(true);
    expect(await statusOf(uuid)).toBe('active');
  });

  it('makes the image active only after its data was examined', async () => {
    const reached = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const slow = await createTestImageService({
      examine: async () => {
        reached.resolve();
        await go.promise;
        return { ok: true, virtualSize: null };
      },
    });
    const uuid = await slow.create();
    const sent = slow.upload(uuid, rawDisk());
    await reached.promise;
    expect((await slow.show(uuid)).status).toBe('saving');
    expect((await slow.upload(uuid, rawDisk())).status).toBe(409);
    go.resolve();
    expect((await sent).status).toBe(204);
    await slow.close();
  });
});

describe('deactivated images', () => {
  it('of a deactivated image can be read only by administrators until it is reactivated', async () => {
    const uuid = await test.create();
    const act = async (action: string, as = member('blue')) =>
      (await test.call('POST', `/v2/images/${uuid}/actions/${action}`, undefined, as)).status;
    expect(await act('deactivate')).toBe(403);
    await test.upload(uuid, rawDisk());
    expect([await act('deactivate'), await act('deactivate')]).toEqual([204, 204]);
    expect(await statusOf(uuid)).toBe('deactivated');
    expect((await test.call('GET', `/v2/images/${uuid}/file`)).status).toBe(403);
    expect((await test.call('GET', `/v2/images/${uuid}/file`, undefined, admin)).status).toBe(200);
    expect(await act('reactivate')).toBe(204);
    expect((await test.call('GET', `/v2/images/${uuid}/file`)).status).toBe(200);
  });
});

describe('space', () => {
  it('is refused when its project would store more than its quota, also by parts of unknown length', async () => {
    const limited = await createTestImageService({ settings: { projectBytes: 100 } });
    try {
      const [one, two, three] = [await limited.create(), await limited.create(), await limited.create()];
      expect((await limited.upload(one, randomBytes(60))).status).toBe(204);
      const refused = await limited.upload(two, randomBytes(41));
      expect(refused.status).toBe(413);
      expect(refused.body.error.message).toContain(
        'Project blue is over a limit for [Resource image_size_total is over limit of 1 due to current usage 1 and delta 1]',
      );
      expect((await limited.show(two)).status).toBe('queued');
      // Another project has its own quota.
      const red = member('red');
      expect((await limited.upload(await limited.create({}, red), randomBytes(100), red)).status).toBe(204);
      expect((await limited.upload(three, randomBytes(40))).status).toBe(204);
      expect((await limited.call('DELETE', `/v2/images/${one}`)).status).toBe(204);
      expect((await limited.upload(two, randomBytes(41))).status).toBe(204);
    } finally {
      await limited.close();
    }
  });

  it('is checked before an upload, and during an upload of unknown length', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ingot-image-space-'));
    const small = await createTestImageService({
      settings: { dir, freeBytes: async () => 256 * 1024 * 1024 + 10 },
    });
    const uuid = await small.create();
    const answer = await small.upload(uuid, rawDisk());
    expect(answer.status).toBe(413);
    expect(answer.body.error.message).toContain('needs 1048576 bytes and 10 are free');
    expect(await small.files()).toEqual([]);
    await small.close();
    await rm(dir, { recursive: true });
  });
});

describe('a restart', () => {
  it('keeps complete images and removes partial data', async () => {
    const store = await openStore({ path: ':memory:' });
    const dir = await mkdtemp(join(tmpdir(), 'ingot-image-restart-'));
    const before = await createTestImageService({ store, settings: { dir } });
    const [whole, cut] = [await before.create(), await before.create()];
    await before.upload(whole, rawDisk());
    await store.compute.images.update(cut, { status: 'saving' }, new Date());
    await before.close();
    const strangers = ['.part-x', randomUUID(), cut];
    for (const name of strangers) await writeFile(join(dir, name), 'half');
    await mkdir(join(dir, 'lost+found'));

    const after = await createTestImageService({ store, settings: { dir } });
    expect((await after.files()).sort()).toEqual([whole, 'lost+found'].sort());
    expect((await after.show(whole)).status).toBe('active');
    expect((await after.show(cut)).status).toBe('queued');
    await after.close();
    await store.close();
    await rm(dir, { recursive: true });
  });

  it('aborts running uploads', async () => {
    const ending = await createTestImageService();
    const { uuid, request } = await begunUpload(ending);
    await ending.library.stop();
    expect((await ending.show(uuid)).status).toBe('queued');
    expect(await ending.files()).toEqual([]);
    request.destroy();
    await ending.close();
  });
});

it('closing the listener does not wait for transfers', async () => {
  const closing = await createTestImageService({ settings: { maxBytes: 20_000_000 } });
  const { uuid } = await begunUpload(closing);
  const other = await closing.create({ disk_format: 'ari' });
  await closing.upload(other, Buffer.alloc(20_000_000));
  const { port } = closing.app.server.address() as AddressInfo;
  const reading = await new Promise<IncomingMessage>((answered) => {
    const url = `http://127.0.0.1:${port}/image/v2/images/${other}/file`;
    httpRequest(url, { headers: CALLER }, answered).end();
  });
  const cut = new Promise((settle) => reading.once('close', settle).once('error', settle));
  await closing.app.close();
  reading.resume();
  await cut;
  expect(reading.complete).toBe(false);
  expect(await closing.store.compute.images.find(uuid)).toMatchObject({ status: 'queued' });
  await closing.close();
});

it('an upload that sends nothing for too long is aborted', async () => {
  const hasty = await createTestImageService({ settings: { stallMs: 60 } });
  const { uuid, request } = await begunUpload(hasty);
  await eventually(async () => expect((await hasty.show(uuid)).status).toBe('queued'));
  expect(await hasty.files()).toEqual([]);
  request.destroy();
  await hasty.close();
});
