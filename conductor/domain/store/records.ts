/**
 * All other kinds of resources; each has its own table.
 */
import type { NewRecord, Recorded, RecordPatch } from '../resources.ts';
import type { Rows } from './page.ts';

/** Limits a list to records of a project, or of the nodes in a shard or conductor group. */
export interface RecordScope {
  /** The owner or lessee of the node, or the owner of the record itself. */
  readonly project?: string | undefined;
  readonly shards?: readonly string[] | undefined;
  readonly conductorGroups?: readonly string[] | undefined;
  readonly descriptionContains?: string | undefined;
}

/** A kind of resource in the store. */
export interface RecordStore<T extends Recorded> {
  /**
   * Throws IngotError('conflict') if a unique value is in use, 'notFound' if the node of the record does not exist.
   */
  create(record: NewRecord<T>, now: Date): Promise<T>;
  /** Like `find`, but throws IngotError('notFound') for a missing record: "Port X could not be found." */
  get(ident: string): Promise<T>;
  /** By uuid, or by name where the resource has one. */
  find(ident: string): Promise<T | undefined>;
  /**
   * Records that have all these values. With `project`: only records that the project owns, and records of nodes that
   * it owns or leases.
   */
  list(filter: Partial<T>, rows: Rows, of?: RecordScope): Promise<T[]>;
  /** Throws IngotError('notFound' | 'conflict'). Returns the record as stored. */
  update(uuid: string, patch: RecordPatch<T>, now: Date): Promise<T>;
  /** Throws IngotError('notFound', or 'conflict' while other records refer to it). */
  delete(uuid: string): Promise<void>;
}
