/**
 * An API with one of each resource. Resources that a request deleted are created again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createTestApi, type TestApi } from '../fakes/api.ts';
import { type Answer, type CallOptions, createCall } from '../fakes/api-client.ts';
import { NAMES, RESOURCES } from './examples.ts';

const LIST = { limit: 10_000, sortKey: 'id', sortDir: 'asc' } as const;
const SETTLE_LIMIT_MS = 5000;

export interface FuzzApi extends AsyncDisposable {
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  /** All nodes of the store, as text. */
  nodes(): Promise<string>;
  /** The same when no operation runs any more. */
  settled(): Promise<string>;
  /** Creates deleted resources again and deletes new ones, as far as the state of the node allows. */
  restore(): Promise<void>;
  /** The path with parameters that exist. */
  fill(path: string): string;
}

export async function createFuzzApi(): Promise<FuzzApi> {
  const test: TestApi = await createTestApi({ ramdiskCallsPerMinute: 1e9 });
  const call = createCall(test.api);
  const { store } = test;

  async function restore(): Promise<void> {
    for (const [path, content] of Object.entries(RESOURCES)) {
      const url = `/v1/${path}`;
      const { body } = await call('GET', url);
      const found = (body[path.split('/').at(-1) ?? ''] as { uuid: string }[]).map(({ uuid }) => uuid);
      for (const uuid of found) if (uuid !== content.uuid) await call('DELETE', `${url}/${uuid}`);
      if (!found.includes(content.uuid)) await call('POST', url, content);
    }
  }

  const nodes = async (): Promise<string> => JSON.stringify(await store.nodes.list({}, LIST));

  async function settled(): Promise<string> {
    const deadline = Date.now() + SETTLE_LIMIT_MS;
    for (let before = ''; Date.now() < deadline; await delay(1)) {
      const after = await nodes();
      const operations = await store.operations.unfinished();
      const isHeld = (await store.nodes.list({}, LIST)).some(({ holder }) => holder !== null);
      if (after === before && !isHeld && operations.every(({ state }) => state !== 'running')) return after;
      before = after;
    }
    throw new Error('The nodes did not come to rest');
  }

  await restore();
  return {
    call,
    nodes,
    settled,
    restore,
    fill: (path) =>
      path.replaceAll(
        /(\w+)\/\{(\w+)\}/g,
        (_, collection: string) => `${collection}/${NAMES[collection] ?? 'none'}`,
      ),
    [Symbol.asyncDispose]: () => test.close(),
  };
}
