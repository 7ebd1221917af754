/**
 * Converts nodes to rows and back. The agent session and the holder of a node have columns in the same row.
 */
import type { AgentSession, Holder, NewNode, Node, NodePatch } from '../../domain/node.ts';
import type { Rows } from '../../domain/store/page.ts';
import { sortColumn } from './paging.ts';
import { createCodec, snakeCase } from './row-codec.ts';
import type { Prefixed } from './schema.ts';
import { AGENT_COLUMNS, HOLDER_COLUMNS, NODE_COLUMNS } from './schema.ts';
import type { SecretValues } from './seal.ts';
import { mergeChanges } from './seal.ts';

export interface NodeRow extends ShownRow {
  readonly uuid: string | null;
  readonly secrets: string | null;
}

export interface ShownRow {
  readonly agent_present: number | null;
  readonly holder_owner: string | null;
}

const codec = createCodec<typeof NODE_COLUMNS, Omit<Node, 'agent' | 'holder'>>(NODE_COLUMNS);
const agentCodec = createCodec<typeof AGENT_COLUMNS, Prefixed<'agent', AgentSession>>(AGENT_COLUMNS);
const holderCodec = createCodec<typeof HOLDER_COLUMNS, Prefixed<'holder', Holder>>(HOLDER_COLUMNS);

/** The column to sort by; `reservation` is the owner of the node's lock. */
export const sortedBy = (page: Rows): string =>
  page.sortKey === 'reservation' ? 'holder_owner' : sortColumn(codec, page);

export function encode(
  { agent, ...rest }: NodePatch | NewNode,
  times: Partial<Pick<Node, 'createdAt' | 'updatedAt'>>,
) {
  const node = codec.encode({ ...rest, ...times });
  if (agent === undefined) return node;
  const session = agentCodec.encode({
    agentPresent: agent !== null,
    agentUrl: agent?.url ?? null,
    agentToken: agent?.token ?? null,
    agentVersion: agent?.version ?? null,
    agentVerifyCa: agent?.verifyCa ?? null,
    agentProven: agent?.proven ?? null,
    agentLastHeartbeatAt: agent?.lastHeartbeatAt ?? null,
  });
  return {
    values: { ...node.values, ...session.values },
    secrets: mergeChanges(node.secrets, session.secrets),
  };
}

export function decode(row: ShownRow, secrets: SecretValues | undefined): Node {
  return { ...codec.decode(row, secrets), agent: agentOf(row, secrets), holder: holderOf(row) };
}

const AGENT_FIELDS = Object.keys(AGENT_COLUMNS).map(snakeCase);
const HOLDER_FIELDS = Object.keys(HOLDER_COLUMNS).map(snakeCase);

/** The columns to read for these fields of a node, and the decoder for them. */
export function shownPart<F extends keyof Node>(fields: readonly F[]) {
  const names: readonly (keyof Node)[] = fields;
  const own = codec.part(names.filter((name) => name !== 'agent' && name !== 'holder'));
  const [agent, holder] = [names.includes('agent'), names.includes('holder')];
  return {
    columns: [...own.columns, ...(agent ? AGENT_FIELDS : []), ...(holder ? HOLDER_FIELDS : [])],
    decode(row: ShownRow): Pick<Node, F> {
      const node: Record<string, unknown> = own.decode(row);
      if (agent) node['agent'] = agentOf(row, undefined);
      if (holder) node['holder'] = holderOf(row);
      return node as Pick<Node, F>;
    },
  };
}

function agentOf(row: ShownRow, secrets: SecretValues | undefined): AgentSession | null {
  if (row.agent_present !== 1) return null;
  const agent = agentCodec.decode(row, secrets);
  return {
    url: agent.agentUrl,
    token: agent.agentToken,
    version: agent.agentVersion,
    verifyCa: agent.agentVerifyCa,
    proven: agent.agentProven ?? false,
    lastHeartbeatAt: agent.agentLastHeartbeatAt,
  };
}

function holderOf(row: ShownRow): Holder | null {
  if (row.holder_owner === null) return null;
  const holder = holderCodec.decode(row);
  return {
    owner: holder.holderOwner,
    purpose: holder.holderPurpose,
    since: holder.holderSince,
    deadline: holder.holderDeadline,
  };
}
