/**
 * What an agent in the ramdisk calls, without authentication: lookup, heartbeat, continue_inspection.
 */

import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import type { FastifyRequest } from 'fastify';
import { parseMac } from '../../../domain/boot.ts';
import { IngotError } from '../../../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import type { Node } from '../../../domain/node.ts';
import type { App } from '../../kit/app.ts';
import { type Static, Type } from '../../kit/body-schema.ts';
import { objectSchema } from '../../kit/field-schema.ts';
import { requireVersion } from '../../kit/microversion.ts';
import { parseQuery } from '../../kit/query.ts';
import type { RouteDoc } from '../../kit/route-doc.ts';
import type { ApiDeps } from '../deps.ts';
import { findNode } from '../node-lookup.ts';
import { NODE_SCHEMA, nodePresenter, nodeViewContext } from '../node-view.ts';

const SINCE = 22;
const TOKEN_SINCE = 62;
/** Inspection data is answered as a lookup is. Anybody may send it without naming a version. */
const INSPECTION_SINCE = 84;
export const INSPECTION_BODY_BYTES = 16 * 1024 * 1024;
const HEARTBEAT_BODY_BYTES = 64 * 1024;
/** A machine has a handful of interfaces; more is a scan. */
const MAX_ADDRESSES = 64;

const LOOKUP_FIELDS = ['uuid', 'properties', 'instance_info', 'driver_internal_info'];

const Text = (maxLength: number) => Type.Optional(Type.Union([Type.String({ maxLength }), Type.Null()]));
const HEARTBEAT_BODY = Type.Object(
  {
    callback_url: Type.String({ maxLength: 2048 }),
    agent_version: Text(255),
    agent_token: Text(255),
    agent_verify_ca: Text(32_768),
    agent_status: Text(16),
    agent_status_message: Text(4096),
  },
  { additionalProperties: false },
);

/** First version of the younger heartbeat fields; a client that sends them earlier is told so with 400. */
const HEARTBEAT_SINCE = {
  agent_version: 36,
  agent_verify_ca: 68,
  agent_status: 72,
  agent_status_message: 72,
} as const;
const AGENT_STATES = ['start', 'end', 'error'];

const LOOKUP_ARGUMENTS = { addresses: { kind: 'list' }, node_uuid: { kind: 'uuid' } } as const;
const LOOKUP_DOC = {
  summary: 'Ask which node the machine is, by its MAC addresses',
  query: LOOKUP_ARGUMENTS,
  answer: objectSchema({ node: NODE_SCHEMA, config: { type: 'object' } }),
};
const HEARTBEAT_DOC = { summary: 'Tell that the agent is there and where', status: 202 } as const;
const INSPECTION_ARGUMENTS = { node_uuid: { kind: 'uuid', since: INSPECTION_SINCE } } as const;
const INSPECTION_DOC: RouteDoc = {
  summary: 'Bring what inspection found',
  query: INSPECTION_ARGUMENTS,
  body: objectSchema({ inventory: { type: 'object' } }),
  status: 202,
  answer: {
    anyOf: [
      objectSchema({ uuid: { type: 'string', format: 'uuid' } }),
      { ...LOOKUP_DOC.answer, 'x-since': '1.84' },
    ],
  },
};

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);

export function registerRamdiskRoutes(app: App, deps: ApiDeps): void {
  const { ramdisk, store, config } = deps;

  /** What an agent learns about how to behave; keys as Ironic sends them. */
  const agentConfig = (token: string) => ({
    heartbeat_timeout: Math.round(config.heartbeatTimeoutMs / 1000),
    agent_token: token,
    agent_token_required: true,
    metrics: {
      backend: 'noop',
      prepend_host: false,
      prepend_uuid: false,
      prepend_host_reverse: true,
      global_prefix: null,
    },
    metrics_statsd: { statsd_host: 'localhost', statsd_port: 8125 },
    disable_deep_image_inspection: false,
    permitted_image_formats: ['raw', 'qcow2'],
    enable_bios_bootloader_install: true,
  });

  const agentStart = (request: FastifyRequest, node: Node, token: string) => ({
    node: nodePresenter(nodeViewContext(request, deps), LOOKUP_FIELDS).present(node),
    config: agentConfig(token),
  });

  app.get('/v1/lookup', { config: { since: SINCE, doc: LOOKUP_DOC } }, async (request) => {
    const query = parseQuery(request, LOOKUP_ARGUMENTS);
    // An agent that knows no tokens could never send a heartbeat, and would use up the one there is.
    requireVersion(request, TOKEN_SINCE, 'An agent with a token');
    const addresses = query.addresses ?? [];
    if (addresses.length > MAX_ADDRESSES)
      throw invalid(`At most ${MAX_ADDRESSES} addresses can be looked up`);
    const macs = addresses.flatMap((text) => parseMac(text) ?? []);
    if (macs.length < addresses.length) {
      request.log.warn(
        { given: addresses.length, usable: macs.length },
        'lookup ignores invalid MAC addresses',
      );
    }
    if (macs.length === 0 && query.node_uuid === undefined) {
      throw new IngotError(
        'missingParameter',
        "At least one of 'addresses' and 'node_uuid' parameters is required",
      );
    }
    const { node, token } = await ramdisk.lookup({
      macs,
      ...(query.node_uuid === undefined ? {} : { nodeUuid: query.node_uuid }),
    });
    return agentStart(request, node, token);
  });

  app.post<{ Params: { node: string }; Body: Static<typeof HEARTBEAT_BODY> }>(
    '/v1/heartbeat/:node',
    {
      schema: { body: HEARTBEAT_BODY },
      bodyLimit: HEARTBEAT_BODY_BYTES,
      config: { since: SINCE, doc: HEARTBEAT_DOC },
    },
    async (request, reply) => {
      const { body } = request;
      for (const [field, since] of Object.entries(HEARTBEAT_SINCE)) {
        if (body[field as keyof typeof HEARTBEAT_SINCE] != null && request.minor < since) {
          throw invalid(`Field "${field}" not recognised before API version 1.${since}`);
        }
      }
      if (body.agent_token == null) throw invalid('Agent token is required for heartbeat processing.');
      reportStatus(request, body.agent_status ?? null, body.agent_status_message ?? null);
      await ramdisk.heartbeat(await uuidOf(request), {
        callbackUrl: body.callback_url,
        token: body.agent_token,
        version: body.agent_version ?? null,
        verifyCa: body.agent_verify_ca ?? null,
      });
      return reply.code(202).send();
    },
  );

  /** The hot path is a uuid, which the engine looks up itself. */
  async function uuidOf(request: FastifyRequest): Promise<string> {
    const { node } = request.params as { node: string };
    return isUuid(node) ? node.toLowerCase() : (await findNode(store.nodes, request, node)).uuid;
  }

  app.post(
    '/v1/continue_inspection',
    { bodyLimit: INSPECTION_BODY_BYTES, config: { untyped: true, doc: INSPECTION_DOC } },
    async (request, reply) => {
      const { body } = request;
      const query = parseQuery(request, INSPECTION_ARGUMENTS);
      if (!isJsonObject(body) || !isJsonObject(body['inventory'])) {
        throw invalid('Inspection data must be an object with an "inventory" object');
      }
      const { inventory, ...pluginData } = body;
      const opensSession = request.minor >= INSPECTION_SINCE;
      const { node, token } = await ramdisk.continueInspection({
        inventory: inventory as JsonObject,
        pluginData,
        opensSession,
        ...(query.node_uuid === undefined ? {} : { nodeUuid: query.node_uuid }),
      });
      return reply.code(202).send(opensSession ? agentStart(request, node, token) : { uuid: node.uuid });
    },
  );
}

/** Only installer-style ramdisks send a status; nothing here boots one, so it is for the log. */
function reportStatus(request: FastifyRequest, status: string | null, message: string | null): void {
  if (status === null) return;
  if (!AGENT_STATES.includes(status)) {
    throw invalid(`Agent status is invalid. Valid states are ${AGENT_STATES.join(',')}.`);
  }
  request.log.info({ status, message }, 'agent reports a status');
}
