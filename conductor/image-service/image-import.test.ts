/** Images that the conductor fetches itself. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createTestImageService,
  type TestImageService,
} from '../../test/fakes/compute/test-image-service.ts';
import { rawDisk } from '../../test/fakes/image-files.ts';
import { cut, type ImageServer, redirect, startImageServer, whole } from '../../test/fakes/image-server.ts';
import { openStore } from '../store/sqlite/store.ts';

/** Looked at often: nothing here takes long. */
const eventually = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { interval: 5, timeout: 10_000 });

let server: ImageServer;
let test: TestImageService;
let port: string;
beforeAll(async () => {
  server = await startImageServer();
  port = new URL(server.url('/')).port;
  test = await createTestImageService({ settings: { importPorts: ['80', port], maxBytes: 2_000_000 } });
});
afterAll(async () => {
  await test.close();
  await server.close();
});

const leftovers = async () => (await test.files()).filter((name) => name.startsWith('.'));
const importInto = (uuid: string, uri: unknown, name = 'web-download') =>
  test.call('POST', `/v2/images/${uuid}/import`, { method: { name, uri } });
const settled = (uuid: string, of = test) =>
  eventually(async () => {
    const image = await of.show(uuid);
    expect(image.status).not.toBe('importing');
    return image;
  });

describe('an import', () => {
  it('fetches the URL in the background', async () => {
    server.answers.set('/disk', whole(rawDisk()));
    const uuid = await test.create();
    const answer = await importInto(uuid, server.url('/disk?token=secret'));
    expect([answer.status, answer.body]).toEqual([202, undefined]);
    expect(await settled(uuid)).toMatchObject({ status: 'active', size: rawDisk().length });
    expect(await test.store.compute.images.find(uuid)).toMatchObject({ importUrl: null, importError: null });
    expect((await importInto(uuid, server.url('/disk'))).status).toBe(409);
  });

  it('counts for the quota of its project', async () => {
    const limited = await createTestImageService({ settings: { importPorts: [port], projectBytes: 1_000 } });
    server.answers.set('/disk', whole(rawDisk()));
    const uuid = await limited.create();
    const uri = server.url('/disk');
    await limited.call('POST', `/v2/images/${uuid}/import`, { method: { name: 'web-download', uri } });
    expect(await settled(uuid, limited)).toMatchObject({
      status: 'queued',
      os_glance_import_error: expect.stringContaining(
        'Project blue is over a limit for [Resource image_size_total',
      ),
    });
    await limited.close();
  });

  it.each([
    ['/none', 'the server answered HTTP 404'],
    ['/big', 'an image may have 2000000'],
    ['/qcow2', 'disk_format says raw, but the data is qcow2'],
    ['/cut', 'broke off after'],
    ['/away', 'its address is not allowed'],
    ['/inside', 'its port is 22'],
  ])('of %s stores in the image why it failed, and can be tried again', async (path, text) => {
    server.answers.set('/big', whole(Buffer.alloc(2_000_001)));
    server.answers.set('/qcow2', whole(Buffer.from('QFI\u00fbxxxx', 'latin1')));
    server.answers.set('/cut', cut(rawDisk()));
    server.answers.set('/away', redirect('http://169.254.169.254/latest/meta-data'));
    server.answers.set('/inside', redirect('http://192.0.2.1:22/'));
    server.answers.set('/good', whole(rawDisk()));
    const uuid = await test.create();
    await importInto(uuid, server.url(`${path}?token=secret`));
    const failed = await settled(uuid);
    expect(failed.status).toBe('queued');
    expect(failed.os_glance_import_error).toContain(text);
    expect(failed.os_glance_import_error).not.toContain('secret');
    expect(await leftovers()).toEqual([]);
    await importInto(uuid, server.url('/good'));
    const good = await settled(uuid);
    expect(good.status).toBe('active');
    expect(good).not.toHaveProperty('os_glance_import_error');
  });

  it.each([
    [{}, 'method is missing'],
    [{ method: { name: 'glance-direct' } }, 'web-download'],
    [{ method: { name: 'web-download' } }, 'method.uri'],
    [{ method: { name: 'web-download', uri: 5 } }, 'method.uri'],
    [{ method: { name: 'web-download', uri: 'no url' } }, 'it is not a URL'],
    [{ method: { name: 'web-download', uri: `http://h/${'x'.repeat(3_000)}` } }, 'it is not a URL'],
    [{ method: { name: 'web-download', uri: 'file:///etc/passwd' } }, 'http and https'],
    [{ method: { name: 'web-download', uri: 'http://h:22/' } }, 'its port is 22'],
    [{ method: { name: 'web-download', uri: 'http://[::1]/' } }, 'its address is not allowed'],
  ])('of %j is rejected', async (body, text) => {
    const uuid = await test.create();
    const answer = await test.call('POST', `/v2/images/${uuid}/import`, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain(text);
    expect((await test.show(uuid)).status).toBe('queued');
  });

  it('is aborted when its image is deleted', async () => {
    const gone = Promise.withResolvers<void>();
    server.answers.set('/slow', (_, response) => {
      response.once('close', () => gone.resolve());
      response.writeHead(200).write('first');
    });
    const uuid = await test.create();
    await importInto(uuid, server.url('/slow'));
    await eventually(async () => expect(await leftovers()).toHaveLength(1));
    expect((await test.call('DELETE', `/v2/images/${uuid}`)).status).toBe(204);
    await gone.promise;
    await eventually(async () => expect(await leftovers()).toEqual([]));
  });

  it('continues after a restart', async () => {
    const store = await openStore({ path: ':memory:' });
    const settings = { importPorts: [port] };
    const asked = Promise.withResolvers<void>();
    server.answers.set('/later', (_, response) => {
      response.writeHead(200).write('first');
      asked.resolve();
    });
    const before = await createTestImageService({ store, settings });
    const uuid = await before.create();
    const body = { method: { name: 'web-download', uri: server.url('/later') } };
    expect((await before.call('POST', `/v2/images/${uuid}/import`, body)).status).toBe(202);
    await asked.promise;
    await before.close();
    expect(await store.compute.images.find(uuid)).toMatchObject({ status: 'importing' });

    server.answers.set('/later', whole(rawDisk()));
    const after = await createTestImageService({ store, settings });
    expect((await settled(uuid, after)).status).toBe('active');
    await after.close();
    await store.close();
  });

  it('waits while four imports run', async () => {
    let open = 0;
    let most = 0;
    const go = Promise.withResolvers<void>();
    server.answers.set('/many', (request, response) => {
      open += 1;
      most = Math.max(most, open);
      void go.promise.then(() => {
        open -= 1;
        whole(rawDisk())(request, response);
      });
    });
    const uuids = await Promise.all(Array.from({ length: 6 }, () => test.create()));
    for (const uuid of uuids) await importInto(uuid, server.url('/many'));
    await eventually(() => expect(open).toBe(4));
    go.resolve();
    for (const uuid of uuids) expect((await settled(uuid)).status).toBe('active');
    expect(most).toBe(4);
  });
});
