/**
 * All other kinds of resources, each in a table of its own.
 */
import type { NewRecord, Recorded, RecordPatch } from '../resources.ts';
import type { Rows } from './page.ts';

/** Limits a list to records of these projects or nodes. */
export interface RecordScope {
  /** Owner or lessee of the node, or owner of the record itself. */
  readonly project?: string | undefined;
  readonly shards?: readonly string[] | undefined;
  readonly conductorGroups?: readonly string[] | undefined;
  readonly descriptionContains?: string | undefined;
}

/** A kind of resource in the store. */
export interface RecordStore<T extends Recorded> {
  /**
   * Throws IngotError('conflict') when a unique value is in use, 'notFound' when the record's owner does not exist.
   */
  create(record: NewRecord<T>, now: Date): Promise<T>;
  /** As `find`. Throws IngotError('notFound'): "Port X could not be found.", by the label of the resource. */
  get(ident: string): Promise<T>;
  /** By uuid, or by name where the resource has one. */
  find(ident: string): Promise<T | undefined>;
  /**
   * Records that have all these values. With `project`: only those that it owns, and those of nodes that it owns or
   * leases.
   */
  list(filter: Partial<T>, rows: Rows, of?: RecordScope): Promise<T[]>;
  /** Throws IngotError('notFound' | 'conflict'). Returns the record as stored. */
  update(uuid: string, patch: RecordPatch<T>, now: Date): Promise<T>;
  /** Throws IngotError('notFound', or 'conflict' while other records refer to it). */
  delete(uuid: string): Promise<void>;
}
