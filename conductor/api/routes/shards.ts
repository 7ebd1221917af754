/**
 * `/v1/shards`: how many nodes each has. API 1.82.
 */
import type { ApiDeps, App } from '../deps.ts';
import { parseQuery } from '../query.ts';

const SINCE = 82;

export function registerShards(app: App, { store }: ApiDeps): void {
  app.get('/v1/shards', { config: { since: SINCE } }, async (request) => {
    parseQuery(request, {});
    const shards = await store.nodes.shards();
    // Nodes without one are counted under the word "None", as Ironic does.
    return { shards: shards.map(({ name, count }) => ({ name: name ?? 'None', count })) };
  });
}
