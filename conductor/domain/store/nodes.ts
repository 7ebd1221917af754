/**
 * Nodes in the store.
 */
import type { NodeFilterField } from '@ingot/shared/ironic/node-fields.ts';
import type { Mac } from '../boot.ts';
import type { AgentSession, Holder, NewNode, Node, NodePatch } from '../node.ts';
import type { Rows } from './page.ts';

/** A filter: the node has all of these values. */
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
  /** Throws IngotError('conflict') naming uuid, name or instance_uuid when it is in use. */
  create(node: NewNode, now: Date): Promise<Node>;
  /** By uuid or name. Throws IngotError('notFound'). */
  get(ident: string): Promise<Node>;
  /** By uuid or name. */
  find(ident: string): Promise<Node | undefined>;
  /**
   * As `get`, but may return what another call has written and is not yet on disk. Only for work that ends with a
   * write of its own before it answers: when that write is on disk, so is everything that was read.
   */
  peek(ident: string): Promise<Node>;
  list(filter: NodeFilter, rows: Rows): Promise<Node[]>;
  /** For lists: only these fields of the nodes, secrets masked. */
  listShown<F extends keyof Node>(
    filter: NodeFilter,
    rows: Rows,
    fields: readonly F[],
  ): Promise<Pick<Node, F>[]>;
  /** Throws IngotError('notFound' | 'conflict'). Returns the node as stored. */
  update(uuid: string, patch: NodePatch, now: Date): Promise<Node>;
  /** Also deletes the node's ports, operations, history, sightings, leases, inventory and secrets. */
  delete(uuid: string): Promise<void>;
  /** The number of nodes in each shard, null for those in none; largest first. */
  shards(): Promise<{ readonly name: string | null; readonly count: number }[]>;
  /** Nodes having any of these MACs among their ports, without duplicates. */
  findByMacs(macs: readonly Mac[]): Promise<Node[]>;
  /** Hot path: sets the token of the agent of this boot. Returns false when it has one already. */
  openSession(uuid: string, token: string, now: Date): Promise<boolean>;
  /** Hot path: stores url, version, CA and time of a heartbeat durably. */
  heartbeat(uuid: string, session: Omit<AgentSession, 'token'>, now: Date): Promise<void>;
  /** Locks the node if nobody holds its lock, or if `owner` itself does and the deadline has passed. */
  hold(uuid: string, holder: Holder): Promise<boolean>;
  release(uuid: string, owner: string): Promise<void>;
  /** At start: releases every lock of this owner; returns the uuids. */
  releaseAll(owner: string): Promise<string[]>;
}
