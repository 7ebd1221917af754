/**
 * Begins the session of an agent: one for each boot, with a token of its own.
 */
import { MASKED_TOKEN } from '@ingot/shared/agent/lookup.ts';
import type { BootSighting } from '../domain/boot.ts';
import type { BootTrust } from '../domain/boot-trust.ts';
import { IngotError } from '../domain/errors.ts';
import type { AgentSession, Node } from '../domain/node.ts';
import type { AgentStart } from '../domain/ramdisk-intake.ts';
import type { Store } from '../domain/store/store.ts';
import { newAgentToken } from './agent-token.ts';

export interface AgentSessionsDeps {
  readonly store: Pick<Store, 'nodes' | 'transaction'>;
  readonly trust: BootTrust;
  readonly now: () => Date;
  readonly wake: (nodeUuid: string) => void;
}

export interface AgentOpening {
  /** The source address of the request. */
  readonly source: string;
  /** PEM of the certificate of an agent that has proved the boot secret; null for other agents. */
  readonly certificate: string | null;
}

/** Returns the token once a boot, and again only to the agent with the same certificate. */
export type OpenAgentSession = (node: Node, opening: AgentOpening) => Promise<AgentStart>;

export function createAgentSessions({ store, trust, now, wake }: AgentSessionsDeps): OpenAgentSession {
  return async (node, opening) => {
    // Later callers wake no node, because any host on the network may send lookups at any rate.
    if (node.agent?.token != null) return openAgain(node, opening);
    const { certificate } = opening;
    const at = now();
    const sighting: BootSighting = { kind: 'lookup', at, nodeUuid: node.uuid };
    const token = newAgentToken();
    const unknown = { url: null, version: null, lastHeartbeatAt: null };
    const agent: AgentSession = { ...unknown, token, verifyCa: certificate, proven: certificate !== null };
    const opened = await store.transaction(async (tx) => {
      if (!(await tx.nodes.openSession(node.uuid, { token, certificate }, at))) return false;
      await tx.sightings.add(sighting);
      return true;
    });
    if (!opened) return openAgain(await store.nodes.get(node.uuid), opening);
    wake(node.uuid);
    return { node: { ...node, agent, updatedAt: at }, token };
  };

  /** An agent asks again if it did not get the answer. Another agent with the same secret has another certificate. */
  async function openAgain(node: Node, { source, certificate }: AgentOpening): Promise<AgentStart> {
    if (certificate === null) return { node, token: MASKED_TOKEN };
    const { agent } = node;
    if (agent?.proven === true && agent.verifyCa === certificate)
      return { node, token: agent.token ?? MASKED_TOKEN };
    await trust.breached(node.uuid, { from: source, what: 'a second lookup with the boot secret' });
    throw new IngotError('forbidden', 'Another agent has looked this node up in this boot.');
  }
}
