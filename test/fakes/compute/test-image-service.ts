/**
 * The image service behind the façade's listener, with a database in memory, its own directory, and the conductor's real
 * parser and HTTP client.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGlanceService } from '@ingot/conductor/api/glance/glance-service.ts';
import type { Caller } from '@ingot/conductor/domain/policy.ts';
import type { Store } from '@ingot/conductor/domain/store/store.ts';
import { createImageService } from '@ingot/conductor/image-service/create-image-service.ts';
import type { ImageServiceDeps, ImageServiceSettings } from '@ingot/conductor/image-service/deps.ts';
import { openForImport } from '@ingot/conductor/images/import-source.ts';
import { examineDeclared } from '@ingot/conductor/images/inspect.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import { quietLogger } from '../engine-deps.ts';
import { loopbackOutbound } from '../outbound.ts';
import { type CloudAnswer, createTestCloud, member } from './cloud.ts';

export const OCTETS = { 'content-type': 'application/octet-stream' };
export const PATCH = { 'content-type': 'application/openstack-images-v2.1-json-patch' };

export interface TestImageServiceOptions extends Partial<Omit<ImageServiceDeps, 'store' | 'settings'>> {
  readonly store?: Store;
  readonly settings?: Partial<ImageServiceSettings>;
}

export type TestImageService = Awaited<ReturnType<typeof createTestImageService>>;

export async function createTestImageService({
  store: given,
  settings,
  ...deps
}: TestImageServiceOptions = {}) {
  const store = given ?? (await openStore({ path: ':memory:' }));
  const dir = settings?.dir ?? (await mkdtemp(join(tmpdir(), 'ingot-image-service-')));
  let clockMs = Date.UTC(2030, 0, 1);
  const now = (): Date => {
    clockMs += 1_000;
    return new Date(clockMs);
  };
  const library = createImageService({
    store,
    settings: {
      dir,
      maxBytes: 8_000_000,
      stallMs: 5_000,
      importLimitMs: 5_000,
      importPorts: ['80', '443'],
      ...settings,
    },
    examine: examineDeclared,
    fetch: (url, options) => openForImport(url, { ...options, outbound: loopbackOutbound }),
    checkAddress: loopbackOutbound.checkAddress,
    prepared: async () => [],
    logger: quietLogger,
    now,
    ...deps,
  });
  await library.start();
  const cloud = await createTestCloud([createGlanceService(library)], { store, now });
  const call = (
    method: string,
    path: string,
    body?: unknown,
    as: Caller = member('blue'),
    headers: Readonly<Record<string, string>> = {},
  ): Promise<CloudAnswer> => cloud.call(method, `/image${path}`, body, { as, headers });

  return {
    ...cloud,
    library,
    dir,
    call,
    files: () => readdir(dir),
    /** Creates a queued image of the project `blue`; returns its UUID. */
    async create(fields: object = {}, as?: Caller): Promise<string> {
      const formats = { disk_format: 'raw', container_format: 'bare' };
      const { status, body } = await call('POST', '/v2/images', { name: 'web', ...formats, ...fields }, as);
      if (status !== 201) throw new Error(`the image was not created: ${status} ${JSON.stringify(body)}`);
      return body.id as string;
    },
    async upload(uuid: string, data: Buffer, as?: Caller): Promise<CloudAnswer> {
      const { statusCode, body } = await cloud.app.inject({
        method: 'PUT',
        url: `/image/v2/images/${uuid}/file`,
        headers: { ...OCTETS, 'x-test-caller': JSON.stringify(as ?? member('blue')) },
        payload: data,
      });
      return { status: statusCode, body: body === '' ? undefined : JSON.parse(body), headers: {} };
    },
    patch: (uuid: string, operations: unknown, as?: Caller): Promise<CloudAnswer> =>
      call('PATCH', `/v2/images/${uuid}`, operations, as, PATCH),
    show: async (uuid: string, as?: Caller) => (await call('GET', `/v2/images/${uuid}`, undefined, as)).body,
    async close() {
      await library.stop();
      await cloud.close();
      if (given === undefined) await store.close();
      if (settings?.dir === undefined) await rm(dir, { recursive: true, force: true });
    },
  };
}
