/**
 * Nodes in the store.
 */
import type { NodeFilterField } from '@ingot/shared/ironic/node-fields.ts';
import type { Mac } from '../boot.ts';
import type { AgentSession, Holder, NewNode, Node, NodePatch } from '../node.ts';
import type { Rows } from './page.ts';

/** Filters by fields: the node has all of these values. */
type NodeFieldValues = { readonly [F in NodeFilterField]?: NonNullable<Node[F]> };

export interface NodeFilter extends NodeFieldValues {
  /** Has an instance_uuid. */
  readonly associated?: boolean;
  readonly shards?: readonly string[];
  readonly sharded?: boolean;
  /** Has a parent. */
  readonly child?: boolean;
  readonly descriptionContains?: string;
  /** The project is the owner or the lessee. */
  readonly project?: string;
}

/** An agent's session as its lookup opens it. */
export interface NewSession {
  readonly token: string;
  /** PEM of the certificate of an agent that has proved the boot secret; null for other agents. */
  readonly certificate: string | null;
}

export interface NodeStore {
  /** Throws IngotError('conflict') if the uuid, name or instance_uuid is in use; the error names which one. */
  create(node: NewNode, now: Date): Promise<Node>;
  /** By uuid or name. Throws IngotError('notFound'). */
  get(ident: string): Promise<Node>;
  /** By uuid or name. */
  find(ident: string): Promise<Node | undefined>;
  /**
   * Like `get`, but may return changes of another call that are not on disk yet. Only for callers that write something
   * after it, before they answer: when their write is on disk, the changes that they read are on disk, too.
   */
  peek(ident: string): Promise<Node>;
  list(filter: NodeFilter, rows: Rows): Promise<Node[]>;
  /** Like `list`, but returns only these fields of the nodes, with secrets masked. */
  listShown<F extends keyof Node>(
    filter: NodeFilter,
    rows: Rows,
    fields: readonly F[],
  ): Promise<Pick<Node, F>[]>;
  /** Throws IngotError('notFound' | 'conflict'). Returns the node as stored. */
  update(uuid: string, patch: NodePatch, now: Date): Promise<Node>;
  /** Also deletes the node's ports, operations, history, sightings, leases, inventory and secrets. */
  delete(uuid: string): Promise<void>;
  /** The number of nodes in each shard, largest first; null counts the nodes without a shard. */
  shards(): Promise<{ readonly name: string | null; readonly count: number }[]>;
  /** Nodes that have a port with one of these MACs, without duplicates. */
  findByMacs(macs: readonly Mac[]): Promise<Node[]>;
  /** Hot path: sets the token of the agent. Returns false if the node already has a token. */
  openSession(uuid: string, session: NewSession, now: Date): Promise<boolean>;
  /** Hot path: stores url, version, CA and time of a heartbeat. */
  heartbeat(uuid: string, session: Omit<AgentSession, 'token' | 'proven'>, now: Date): Promise<void>;
  /** Locks the node if nobody holds its lock, or if `owner` itself does and the deadline has passed. */
  hold(uuid: string, holder: Holder): Promise<boolean>;
  release(uuid: string, owner: string): Promise<void>;
  /** Releases every lock of this owner and returns the uuids of the nodes. Called at start. */
  releaseAll(owner: string): Promise<string[]>;
}
