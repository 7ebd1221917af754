/**
 * The routes that the agent in the ramdisk calls: lookup, heartbeat, continue_inspection. They have no users; our own
 * agent proves that the conductor booted it (shared/agent/boot-proof.ts).
 */

import { PROOF_HEADER } from '@ingot/shared/agent/boot-proof.ts';
import { decodeHeartbeat } from '@ingot/shared/agent/heartbeat.ts';
import { decodeInspection, encodeInspectionAnswer } from '@ingot/shared/agent/inspection.ts';
import { encodeLookupAnswer } from '@ingot/shared/agent/lookup.ts';
import type { Decoded } from '@ingot/shared/decoded.ts';
import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import type { FastifyRequest } from 'fastify';
import { lookedUpNode } from '../../../domain/agent-node.ts';
import { parseMac } from '../../../domain/boot.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { AgentStart } from '../../../domain/ramdisk-intake.ts';
import type { App } from '../../kit/app.ts';
import { type Static, Type } from '../../kit/body-schema.ts';
import { objectSchema } from '../../kit/field-schema.ts';
import { requireVersion } from '../../kit/microversion.ts';
import { parseQuery } from '../../kit/query.ts';
import type { RouteDoc } from '../../kit/route-doc.ts';
import type { ApiDeps } from '../deps.ts';
import { createInspectionLimit } from '../inspection-limit.ts';
import { findNode } from '../node-lookup.ts';
import { NODE_SCHEMA } from '../node-view.ts';
import { provenSenders } from '../proven-sender.ts';

const SINCE = 22;
const TOKEN_SINCE = 62;
/** Since this version the answer to inspection data is the answer to a lookup. Older requests get only the UUID. */
const INSPECTION_SINCE = 84;
export const INSPECTION_BODY_BYTES = 16 * 1024 * 1024;
const HEARTBEAT_BODY_BYTES = 64 * 1024;
/** Machines have far fewer network interfaces. A request with more addresses is a scan. */
const MAX_ADDRESSES = 64;

/** A PEM certificate on P-256 has less than 1 KiB. */
const MAX_CERTIFICATE_LENGTH = 4096;

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

const LOOKUP_BODY = Type.Object(
  {
    node_uuid: Type.String({ format: 'uuid' }),
    agent_verify_ca: Type.String({ maxLength: MAX_CERTIFICATE_LENGTH }),
  },
  { additionalProperties: false },
);

/** First version of the newer heartbeat fields. Older requests that contain them get 400. */
const HEARTBEAT_SINCE = {
  agent_version: 36,
  agent_verify_ca: 68,
  agent_status: 72,
  agent_status_message: 72,
} as const;

const LOOKUP_ARGUMENTS = { addresses: { kind: 'list' }, node_uuid: { kind: 'uuid' } } as const;
const LOOKUP_DOC = {
  summary: 'Ask which node the machine is, by its MAC addresses',
  query: LOOKUP_ARGUMENTS,
  answer: objectSchema({ node: NODE_SCHEMA, config: { type: 'object' } }),
};
const PROVEN_LOOKUP_DOC = {
  summary: "Begin the session of an agent that proves the boot secret, with the agent's certificate",
  answer: LOOKUP_DOC.answer,
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
  const senderOf = provenSenders(app, ramdisk);

  const agentStart = ({ node, token }: AgentStart) =>
    encodeLookupAnswer({
      node: lookedUpNode(node),
      heartbeatTimeoutSeconds: Math.round(config.heartbeatTimeoutMs / 1000),
      token,
    });

  app.get('/v1/lookup', { config: { since: SINCE, doc: LOOKUP_DOC } }, async (request) => {
    const query = parseQuery(request, LOOKUP_ARGUMENTS);
    // The token is returned only once. An agent that knows no tokens would use it up and could not send a heartbeat.
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
    const start = await ramdisk.lookup({
      macs,
      source: request.ip,
      ...(query.node_uuid === undefined ? {} : { nodeUuid: query.node_uuid }),
    });
    return agentStart(start);
  });

  // Our own addition to the protocol. The proof covers a body, and a lookup by GET has none.
  app.post<{ Body: Static<typeof LOOKUP_BODY> }>(
    '/v1/lookup',
    { schema: { body: LOOKUP_BODY }, config: { since: TOKEN_SINCE, tooNew: 405, doc: PROVEN_LOOKUP_DOC } },
    async (request) => {
      const { node_uuid: nodeUuid, agent_verify_ca: certificate } = request.body;
      const sender = senderOf(request);
      if (sender.proof === undefined) throw invalid(`A lookup by POST needs the header ${PROOF_HEADER}`);
      return agentStart(await ramdisk.lookup({ ...sender, macs: [], nodeUuid, certificate }));
    },
  );

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
      const beat = readable(decodeHeartbeat(body));
      const { status, statusMessage: message, ...heartbeat } = beat;
      // Only ramdisks that run an operating system's installer send a status. We boot none, so it is only logged.
      if (status !== null) request.log.info({ status, message }, 'agent reports a status');
      await ramdisk.heartbeat(await uuidOf(request), { ...heartbeat, ...senderOf(request) });
      return reply.code(202).send();
    },
  );

  /** Agents send the UUID, which `ramdisk.heartbeat` looks up itself. Only a name is looked up here. */
  async function uuidOf(request: FastifyRequest): Promise<string> {
    const { node } = request.params as { node: string };
    return isUuid(node) ? node.toLowerCase() : (await findNode(store.nodes, request, node)).uuid;
  }

  app.post(
    '/v1/continue_inspection',
    {
      bodyLimit: INSPECTION_BODY_BYTES,
      onRequest: createInspectionLimit(),
      config: { untyped: true, doc: INSPECTION_DOC },
    },
    async (request, reply) => {
      const { body } = request;
      const query = parseQuery(request, INSPECTION_ARGUMENTS);
      const { inventory, pluginData } = readable(decodeInspection(body));
      const opensSession = request.minor >= INSPECTION_SINCE;
      const start = await ramdisk.continueInspection({
        inventory,
        pluginData,
        opensSession,
        ...senderOf(request),
        ...(query.node_uuid === undefined ? {} : { nodeUuid: query.node_uuid }),
      });
      return reply.code(202).send(opensSession ? agentStart(start) : encodeInspectionAnswer(start.node.uuid));
    },
  );
}

function readable<T>(decoded: Decoded<T>): T {
  if (decoded.ok) return decoded.value;
  throw invalid(decoded.reason);
}
