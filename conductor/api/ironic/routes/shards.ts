/**
 * `/v1/shards`: the number of nodes in each shard. API 1.82.
 */

import type { App } from '../../kit/app.ts';
import { listSchema, objectSchema } from '../../kit/field-schema.ts';
import type { ApiDeps } from '../deps.ts';

const SINCE = 82;

const DOC = {
  summary: 'Count the nodes of each shard',
  answer: listSchema('shards', objectSchema({ name: { type: 'string' }, count: { type: 'integer' } })),
};

export function registerShards(app: App, { store }: ApiDeps): void {
  app.get('/v1/shards', { config: { since: SINCE, doc: DOC } }, async () => {
    const shards = await store.nodes.shards();
    // Nodes without a shard are counted under the name "None", as in Ironic.
    return { shards: shards.map(({ name, count }) => ({ name: name ?? 'None', count })) };
  });
}
