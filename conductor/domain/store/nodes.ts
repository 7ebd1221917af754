/**
 * Nodes, as a store keeps them.
 */
import type { NodeFilterField } from '@ingot/shared/ironic/node-fields.ts';
import type { Mac } from '../boot.ts';
import type { AgentSession, Holder, NewNode, Node, NodePatch } from '../node.ts';
import type { Rows } from './page.ts';

/** A node has all of these values. */
type NodeFieldValues = { readonly [F in NodeFilterField]?: NonNullable<Node[F]> };

export interface NodeFilter extends NodeFieldValues {
  /** Has an instance_uuid. */
  readonly associated?: boolean;
  readonly shards?: readonly string[];
  readonly sharded?: boolean;
  /** Has a parent. */
  readonly child?: boolean;
  readonly descriptionContains?: string;
  /** owner or lessee. */
  readonly project?: string;
}

export interface NodeStore {
  /** Throws IngotError('conflict') naming uuid, name or instance_uuid when taken. */
  create(node: NewNode, now: Date): Promise<Node>;
  /** By uuid or name. Throws IngotError('notFound'). */
  get(ident: string): Promise<Node>;
  /** By uuid or name. */
  find(ident: string): Promise<Node | undefined>;
  /**
   * As `get`, and may see what another call has written and is not yet on disk. Only for work that ends with a
   * write of its own before anybody hears of it: when that is on disk, all it has seen is.
   */
  peek(ident: string): Promise<Node>;
  list(filter: NodeFilter, rows: Rows): Promise<Node[]>;
  /** For showing: these fields of the nodes and no other, secrets masked. */
  listShown<F extends keyof Node>(
    filter: NodeFilter,
    rows: Rows,
    fields: readonly F[],
  ): Promise<Pick<Node, F>[]>;
  /** Throws IngotError('notFound' | 'conflict'). Returns the node as stored. */
  update(uuid: string, patch: NodePatch, now: Date): Promise<Node>;
  /** Takes ports, operations, history, sightings, leases, inventory and secrets with it. */
  delete(uuid: string): Promise<void>;
  /** How many nodes each shard has, null for those in none; most first. */
  shards(): Promise<{ readonly name: string | null; readonly count: number }[]>;
  /** Nodes having any of these MACs among their ports, without duplicates. */
  findByMacs(macs: readonly Mac[]): Promise<Node[]>;
  /** Hot path: gives the agent of this boot its token, of which there is one. False when there is one already. */
  openSession(uuid: string, token: string, now: Date): Promise<boolean>;
  /** Hot path: stores url, version, CA and time of a heartbeat, durably. */
  heartbeat(uuid: string, session: Omit<AgentSession, 'token'>, now: Date): Promise<void>;
  /** Takes the node if nobody holds it, or if it is held by `owner` itself past its deadline. */
  hold(uuid: string, holder: Holder): Promise<boolean>;
  release(uuid: string, owner: string): Promise<void>;
  /** At start: drops every hold of this owner; returns the uuids. */
  releaseAll(owner: string): Promise<string[]>;
}
