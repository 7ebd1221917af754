/**
 * Requests of the ramdisk: lookup, heartbeat, inspection data. Anybody on the provisioning network can send them, so
 * boot-check.ts decides who is believed, and each answer contains as little as possible.
 */
import { MASKED_TOKEN } from '@ingot/shared/agent/lookup.ts';
import { isCertificate } from '@ingot/shared/tls/public-key-pin.ts';
import type { BootTrust } from '../domain/boot-trust.ts';
import { IngotError } from '../domain/errors.ts';
import type { Node } from '../domain/node.ts';
import type { HeartbeatRequest, LookupRequest, RamdiskIntake } from '../domain/ramdisk-intake.ts';
import { isIn } from '../domain/states.ts';
import type { Store } from '../domain/store/store.ts';
import { createAgentSessions } from './agent-sessions.ts';
import { isAgentToken } from './agent-token.ts';
import { createBootCheck } from './boot-check.ts';
import { createBootNonces } from './boot-nonces.ts';
import type { CallbackCheck } from './callback-check.ts';
import { createInspectionIntake } from './inspection-intake.ts';

/** The same error for unknown machines and for nodes that expect no agent, so that lookup reveals nothing. */
const notFound = (): IngotError =>
  new IngotError('notFound', 'No node was found for this machine, or its state does not allow a lookup.');

const badHeartbeat = (node: string, why: string): IngotError =>
  new IngotError('invalidParameter', `Heartbeat of node ${node} refused: ${why}`);

export interface RamdiskIntakeDeps {
  readonly store: Pick<Store, 'nodes' | 'ports' | 'sightings' | 'transaction'>;
  readonly logger: { warn(fields: object, message: string): void };
  readonly callbackProblem: CallbackCheck;
  readonly now: () => Date;
  readonly trust: BootTrust;
  /** The setting agent.allow_plaintext. */
  readonly allowPlaintext: boolean;
  /** Makes the engine look at the node now. */
  readonly wake: (nodeUuid: string) => void;
}

export function createRamdiskIntake(deps: RamdiskIntakeDeps): RamdiskIntake {
  const { store, trust } = deps;
  const openSession = createAgentSessions(deps);
  const nonces = createBootNonces();
  const check = createBootCheck({ nonces, trust, allowPlaintext: deps.allowPlaintext });
  const inspections = createInspectionIntake({ ...deps, notFound });

  return {
    newNonce: () => nonces.make(),

    async lookup(request) {
      const node = await nodeFor(request);
      if (node === undefined || !isIn('lookup', node.provisionState)) throw notFound();
      return openSession(node, { source: request.source, certificate: await certificateOf(node, request) });
    },

    async heartbeat(nodeUuid, request) {
      const node = await store.nodes.peek(nodeUuid);
      checkToken(node, request);
      const proven = await check(node, 'heartbeat', request);
      if (proven) checkProvenHeartbeat(node, request);
      await checkCallback(node, request);
      const now = deps.now();
      const first = node.agent?.lastHeartbeatAt == null;
      const { callbackUrl: url, version } = request;
      const verifyCa = proven ? (node.agent?.verifyCa ?? null) : request.verifyCa;
      await store.nodes.heartbeat(node.uuid, { url, version, verifyCa, lastHeartbeatAt: now }, now);
      if (first)
        await store.sightings.add({
          kind: 'heartbeat',
          at: now,
          nodeUuid: node.uuid,
          detail: new URL(url).host,
        });
      if (isIn('heartbeatActs', node.provisionState) || isIn('lookup', node.provisionState))
        deps.wake(node.uuid);
    },

    async continueInspection(data) {
      const node = await inspections.nodeOf(data);
      const proven = await check(node, 'inspection', data);
      await inspections.keep(node, data);
      return data.opensSession === true && !proven
        ? openSession(node, { source: data.source, certificate: null })
        : { node, token: MASKED_TOKEN };
    },
  };

  /** The certificate of an agent that proves its boot; null for others. */
  async function certificateOf(node: Node, request: LookupRequest): Promise<string | null> {
    if (!(await check(node, 'lookup', request))) return null;
    const { certificate } = request;
    if (certificate !== undefined && isCertificate(certificate)) return certificate;
    throw new IngotError('invalidParameter', 'agent_verify_ca must be the PEM of a certificate.');
  }

  /** It may not change in a session, so only the first one is checked. */
  async function checkCallback(node: Node, { callbackUrl: url, source }: HeartbeatRequest): Promise<void> {
    const known = node.agent?.url;
    if (known === url) return;
    const problem =
      known == null
        ? await deps.callbackProblem({ nodeUuid: node.uuid, url, source })
        : 'callback_url may not change while the agent runs.';
    if (problem === undefined) return;
    deps.logger.warn(
      { node: node.uuid, source, problem },
      'a heartbeat names a callback URL that is refused',
    );
    throw badHeartbeat(node.uuid, problem);
  }

  async function nodeFor(request: LookupRequest): Promise<Node | undefined> {
    if (request.nodeUuid !== undefined) return store.nodes.find(request.nodeUuid);
    const nodes = await store.nodes.findByMacs(request.macs);
    if (nodes.length > 1) {
      deps.logger.warn(
        { nodes: nodes.map((node) => node.uuid) },
        'a lookup matches several nodes and is refused',
      );
      return undefined;
    }
    return nodes[0];
  }
}

function checkToken(node: Node, request: HeartbeatRequest): void {
  const expected = node.agent?.token;
  if (expected == null)
    throw badHeartbeat(node.uuid, 'no agent has looked this node up since its last boot.');
  if (!isAgentToken(request.token, expected))
    throw badHeartbeat(node.uuid, 'the agent token is missing or wrong.');
}

/** Its certificate was fixed by the lookup, and commands go only over TLS. */
function checkProvenHeartbeat(node: Node, { verifyCa, callbackUrl }: HeartbeatRequest): void {
  if (node.agent?.proven !== true) throw badHeartbeat(node.uuid, 'its session began without a boot proof.');
  if (verifyCa !== null && verifyCa !== node.agent.verifyCa)
    throw badHeartbeat(node.uuid, 'agent_verify_ca may not change while the agent runs.');
  if (!callbackUrl.startsWith('https:')) throw badHeartbeat(node.uuid, 'callback_url must be an https URL.');
}
