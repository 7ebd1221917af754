/**
 * `GET /v1/nodes/{node}`, DELETE, and validate.
 */
import { NODE_FIELDS } from '@ingot/shared/ironic/node-fields.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../../domain/errors.ts';
import type { Node } from '../../../domain/node.ts';
import type { App } from '../../kit/app.ts';
import { FIELD_ARGUMENTS, selectFields } from '../../kit/field-selection.ts';
import { type Arguments, parseQuery } from '../../kit/query.ts';
import type { ApiDeps } from '../deps.ts';
import { findNode, nodeOf } from '../node-lookup.ts';
import { NODE_SCHEMA, nodeAnswer, nodeViewContext } from '../node-view.ts';
import { FIRMWARE_SINCE } from './node-firmware.ts';

const ONE_ARGUMENTS = { fields: FIELD_ARGUMENTS.fields } as const;
const VALIDATE_ARGUMENTS = { node: { kind: 'text' }, node_uuid: { kind: 'uuid' } } as const;

const SHOW_DOC = { summary: 'Show a node', query: ONE_ARGUMENTS, answer: NODE_SCHEMA };
const DELETE_DOC = { summary: 'Delete a node', status: 204 } as const;
const validateDoc = (query: Arguments) => ({
  summary: 'Check what the interfaces of a node need',
  query,
  answer: {
    title: 'Validation',
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: { result: { type: ['boolean', 'null'] }, reason: { type: 'string' } },
      required: ['result'],
    },
  },
});

export function registerNodes(app: App, deps: ApiDeps): void {
  const { store, engine } = deps;
  const viewContext = (request: FastifyRequest) => nodeViewContext(request, deps);

  app.get('/v1/nodes/:node', { config: { doc: SHOW_DOC } }, async (request, reply) => {
    const query = parseQuery(request, ONE_ARGUMENTS);
    const names = selectFields(request, query, NODE_FIELDS, null);
    const node = await nodeOf(store.nodes, request);
    return nodeAnswer(reply, viewContext(request), names, node);
  });

  app.delete('/v1/nodes/:node', { config: { doc: DELETE_DOC } }, async (request, reply) => {
    const node = await nodeOf(store.nodes, request);
    await engine.deleteNode(node.uuid);
    return reply.code(204).send();
  });

  async function validation({ minor }: FastifyRequest, { uuid }: Node) {
    const { firmware, ...checks } = await engine.validate(uuid);
    return minor < FIRMWARE_SINCE || firmware === undefined ? checks : { ...checks, firmware };
  }

  app.get('/v1/nodes/validate', { config: { doc: validateDoc(VALIDATE_ARGUMENTS) } }, async (request) => {
    const query = parseQuery(request, VALIDATE_ARGUMENTS);
    const ident = query.node_uuid ?? query.node;
    if (ident === undefined) throw new IngotError('missingParameter', 'Missing mandatory parameter: node');
    return validation(request, await findNode(store.nodes, request, ident));
  });

  app.get('/v1/nodes/:node/validate', { config: { doc: validateDoc({}) } }, async (request) =>
    validation(request, await nodeOf(store.nodes, request)),
  );
}
