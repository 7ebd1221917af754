/**
 * `GET /v1/nodes/{node}/children`: the child nodes of a node. API 1.83.
 */
import { childrenOf } from '../../../engine/child-nodes.ts';
import type { App } from '../../kit/app.ts';
import { baseUrlOf } from '../../kit/base-url.ts';
import { objectSchema } from '../../kit/field-schema.ts';
import { seesNode } from '../auth/visibility.ts';
import type { ApiDeps } from '../deps.ts';
import { nodeOf } from '../node-lookup.ts';

export const CHILDREN_SINCE = 83;
const DOC = {
  summary: 'List the children of a node',
  answer: objectSchema({
    children: { type: 'array', items: { type: 'string', format: 'uuid' } },
    links: objectSchema({ href: { type: 'string' }, rel: { type: 'string' } }),
  }),
};

export function registerNodeChildren(app: App, { store, config }: ApiDeps): void {
  app.get('/v1/nodes/:node/children', { config: { since: CHILDREN_SINCE, doc: DOC } }, async (request) => {
    const { uuid } = await nodeOf(store.nodes, request);
    const children = (await childrenOf(store.nodes, uuid)).filter((child) => seesNode(request, child));
    return {
      children: children.map((child) => child.uuid),
      // One link and not a list, as in Ironic.
      links: {
        href: `${baseUrlOf(request, config.publicEndpoint)}/v1/nodes?parent_node=${uuid}`,
        rel: 'children',
      },
    };
  });
}
