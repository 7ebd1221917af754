/**
 * `/v1/nodes/{node}/vendor_passthru` and `/v1/drivers/{driver}/vendor_passthru`: vendor methods, which are functions
 * that only one kind of hardware has.
 */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VendorMethod } from '../../../domain/driver-parts.ts';
import { IngotError } from '../../../domain/errors.ts';
import { isJsonObject } from '../../../domain/json.ts';
import type { Node } from '../../../domain/node.ts';
import type { App } from '../../kit/app.ts';
import { parseQuery } from '../../kit/query.ts';
import type { RouteDoc } from '../../kit/route-doc.ts';
import type { ApiDeps } from '../deps.ts';
import { driverOf } from '../driver-lookup.ts';
import { nodeOf } from '../node-lookup.ts';

const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const METHODS = { type: 'object', additionalProperties: { type: 'object' } };
const listDoc = (summary: string) => ({ config: { doc: { summary, answer: METHODS } } });
/** The forms of body and answer depend on the vendor method. */
const callDoc = (url: string): RouteDoc => ({
  summary: 'Call a vendor method',
  status: '2XX',
  query: url.endsWith('/:method') ? 'any' : METHOD_ARGUMENTS,
  body: {},
});
const METHOD_ARGUMENTS = { method: { kind: 'text' } } as const;
type Params = { Params: { node: string; driver: string; method?: string } };

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);

export function registerVendorPassthru(app: App, deps: ApiDeps): void {
  const { engine, store } = deps;

  const methodsOf = (node: Node): Readonly<Record<string, VendorMethod>> =>
    engine.hardwareOf(node).all.vendor.vendorMethods ?? {};

  app.get(
    '/v1/nodes/:node/vendor_passthru/methods',
    listDoc('List the vendor methods of a node'),
    async (request) => {
      const methods = methodsOf(await nodeOf(store.nodes, request));
      return Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, describe(method)]));
    },
  );

  app.get<Params>(
    '/v1/drivers/:driver/vendor_passthru/methods',
    listDoc('List the vendor methods of a hardware type'),
    async (request) => {
      driverOf(engine.hardwareTypes, request.params.driver);
      // No hardware type has vendor methods that work without a node.
      return {};
    },
  );

  for (const url of ['/v1/drivers/:driver/vendor_passthru', '/v1/drivers/:driver/vendor_passthru/:method']) {
    app.route<Params>({
      method: [...HTTP_METHODS],
      url,
      config: { doc: callDoc(url) },
      async handler(request) {
        const { name } = driverOf(engine.hardwareTypes, request.params.driver);
        throw invalid(`Driver ${name} has no vendor methods of its own: ask a node's.`);
      },
    });
  }

  for (const url of ['/v1/nodes/:node/vendor_passthru', '/v1/nodes/:node/vendor_passthru/:method']) {
    app.route<Params>({ method: [...HTTP_METHODS], url, config: { doc: callDoc(url) }, handler: call });
  }

  async function call(request: FastifyRequest<Params>, reply: FastifyReply) {
    const node = await nodeOf(store.nodes, request);
    const asked = request.params.method ?? parseQuery(request, METHOD_ARGUMENTS).method;
    if (asked === undefined) throw invalid('Missing argument: "method", the name of the vendor method.');
    const methods = methodsOf(node);
    const method = Object.hasOwn(methods, asked) ? methods[asked] : undefined;
    if (method === undefined) {
      const known = Object.keys(methods).toSorted().join(', ') || 'none';
      throw invalid(`No handler for method ${asked.slice(0, 80)}. Node ${node.uuid} has: ${known}.`);
    }
    if (!method.httpMethods.includes(request.method)) {
      throw invalid(`The method ${asked} does not support HTTP ${request.method}`);
    }
    const params = isJsonObject(request.body) ? request.body : {};
    const answer = await engine.withHardware(
      node.uuid,
      `vendor method ${asked}`,
      async ({ all }, context) => {
        all.vendor.validate(context.node, context.ports);
        return method.call(context, params);
      },
      { shares: method.sharesNode === true },
    );
    // The caller of an asynchronous method also waits for its end, so that the answer can report an error.
    if (method.async) return reply.code(202).send();
    return reply.code(200).type('application/json').send(JSON.stringify(answer));
  }
}

const describe = ({ httpMethods, async, description, sharesNode }: VendorMethod) => ({
  http_methods: httpMethods,
  async,
  description,
  attach: false,
  require_exclusive_lock: sharesNode !== true,
});
