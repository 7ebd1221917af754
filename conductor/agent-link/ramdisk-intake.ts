/**
 * Requests of the ramdisk: lookup, heartbeat, inspection data. They come without authentication from the provisioning
 * network, so each answer contains as little as possible.
 */
import { decodeInventory } from '@ingot/shared/agent/inventory-facts.ts';
import { MASKED_TOKEN } from '@ingot/shared/agent/lookup.ts';
import { type BootSighting, type Mac, parseMac } from '../domain/boot.ts';
import { IngotError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import type { AgentSession, Node } from '../domain/node.ts';
import type { AgentStart, HeartbeatRequest, LookupRequest, RamdiskIntake } from '../domain/ramdisk-intake.ts';
import { isIn } from '../domain/states.ts';
import type { Store } from '../domain/store/store.ts';
import { isAgentToken, newAgentToken } from './agent-token.ts';
import type { CallbackCheck } from './callback-check.ts';

/** The same error for unknown machines and for nodes that expect no agent, so that lookup reveals nothing. */
const notFound = (): IngotError =>
  new IngotError('notFound', 'No node was found for this machine, or its state does not allow a lookup.');

const badHeartbeat = (node: string, why: string): IngotError =>
  new IngotError('invalidParameter', `Heartbeat of node ${node} refused: ${why}`);

export interface RamdiskIntakeDeps {
  readonly store: Pick<Store, 'nodes' | 'sightings' | 'transaction'>;
  readonly logger: { warn(fields: object, message: string): void };
  readonly callbackProblem: CallbackCheck;
  readonly now: () => Date;
  /** Makes the engine look at the node now. */
  readonly wake: (nodeUuid: string) => void;
}

export function createRamdiskIntake(deps: RamdiskIntakeDeps): RamdiskIntake {
  const { store } = deps;

  return {
    async lookup(request) {
      const node = await nodeFor(request);
      if (node === undefined || !isIn('lookup', node.provisionState)) throw notFound();
      return openSession(node);
    },

    async heartbeat(nodeUuid, request) {
      const node = await store.nodes.peek(nodeUuid);
      checkToken(node, request);
      await checkCallback(node, request);
      const now = deps.now();
      const first = node.agent?.lastHeartbeatAt == null;
      const { callbackUrl: url, version, verifyCa } = request;
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

    async continueInspection({ inventory, pluginData, nodeUuid, opensSession }) {
      const node = await inspectedNode(macsOf(inventory), nodeUuid);
      if (node === undefined || node.provisionState !== 'inspect wait') throw notFound();
      const session = opensSession === true ? await openSession(node) : { node, token: MASKED_TOKEN };
      const now = deps.now();
      await store.transaction(async (tx) => {
        // The operation may have been aborted in the meantime.
        if ((await tx.nodes.get(node.uuid)).provisionState !== 'inspect wait') throw notFound();
        await tx.inventory.put(node.uuid, { inventory, pluginData }, now);
        await tx.nodes.update(node.uuid, { inspectionFinishedAt: now }, now);
      });
      deps.wake(node.uuid);
      return session;
    },
  };

  async function openSession(node: Node): Promise<AgentStart> {
    // The token is returned once a boot. Later callers get a mask and wake no node, because any host on the network
    // may send lookups at any rate.
    if (node.agent?.token != null) return { node, token: MASKED_TOKEN };
    const now = deps.now();
    const sighting: BootSighting = { kind: 'lookup', at: now, nodeUuid: node.uuid };
    const token = newAgentToken();
    const agent: AgentSession = { url: null, token, version: null, verifyCa: null, lastHeartbeatAt: null };
    const opened = await store.transaction(async (tx) => {
      if (!(await tx.nodes.openSession(node.uuid, token, now))) return false;
      await tx.sightings.add(sighting);
      return true;
    });
    if (!opened) return { node, token: MASKED_TOKEN };
    deps.wake(node.uuid);
    return { node: { ...node, agent, updatedAt: now }, token };
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

  /** A machine that names its node must not have the addresses of another node. */
  async function inspectedNode(
    macs: readonly Mac[],
    nodeUuid: string | undefined,
  ): Promise<Node | undefined> {
    const byAddress = await nodeFor({ macs });
    if (nodeUuid === undefined) return byAddress;
    return byAddress === undefined || byAddress.uuid === nodeUuid ? store.nodes.find(nodeUuid) : undefined;
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

function macsOf(inventory: JsonObject): Mac[] {
  return decodeInventory(inventory).addresses.flatMap((address) => parseMac(address) ?? []);
}
