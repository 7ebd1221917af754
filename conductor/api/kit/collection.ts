/**
 * Describes a resource: its field table, its filters, and the functions for POST, PATCH and DELETE.
 * collection-routes.ts makes the routes from this description.
 */
import type { WireField } from '@ingot/shared/ironic/wire-field.ts';
import type { FastifyRequest } from 'fastify';
import type { Recorded } from '../../domain/resources.ts';
import type { RecordStore } from '../../domain/store/records.ts';
import type { Getter } from './presentation.ts';
import type { Arguments, Query } from './query.ts';
import type { FieldValues } from './resource-body.ts';
import type { JsonSchema } from './route-doc.ts';

/** The part of the API that a collection uses. */
export interface CollectionHost {
  /** Base of every link in answers, without a trailing slash; null: taken from the request. */
  readonly publicEndpoint: string | null;
  /** Largest page of a list. */
  readonly maxLimit: number;
  /** Whether the caller may know that the record exists. */
  sees(request: FastifyRequest, record: Recorded): Promise<boolean>;
  /** The project whose records a list shows; undefined: all records. */
  listedProject(request: FastifyRequest): string | undefined;
  /** The text that the caller sees instead of a field if `policy` hides it; undefined if the caller may see it. */
  redacted(request: FastifyRequest, policy: string): unknown;
}

export interface Collection<T extends Recorded, A extends Arguments> {
  /** Path under the version root: `ports`, `volume/targets`. */
  readonly path: string;
  /** Key of the list in answers: `ports`, `targets`. */
  readonly key: string;
  /** Name in error texts: `port`, `deploy template`. */
  readonly singular: string;
  /** First API microversion; older requests get 404. */
  readonly since: number;
  /** Status for older requests of POST, PATCH and DELETE, if Ironic hides the methods and not the path. */
  readonly tooNewToChange?: 404 | 405;
  /** Older requests get 404 for every method. */
  readonly hidesPath?: true;
  /** First microversion of PATCH, if PATCH came later than the other methods. */
  readonly patchSince?: number;
  readonly fields: readonly WireField[];
  /** The fields that a list without `detail` shows; null: all. */
  readonly listFields: readonly string[] | null;
  /** Fields that a POST must have. */
  readonly required: readonly string[];
  /** From this microversion on, records are found by name, too. */
  readonly namesSince?: number;
  /** `GET /v1/<path>/detail` exists. Resources younger than 1.43 have only `?detail=`. */
  readonly hasDetailPath: boolean;
  /** First microversion of `?detail=`; null: the list has no such argument. */
  readonly detailSince: number | null;
  readonly filters: A;
  readonly store: RecordStore<T>;
  /** Getters of values that are not a field of the record itself. */
  readonly getters?: Readonly<Record<string, Getter<T>>>;
  /** Fields whose form depends on the microversion: the getter for a minor number. */
  readonly formAt?: Readonly<Record<string, (minor: number) => Getter<T> | undefined>>;
  /** Sub-resources, shown as arrays of links: `nodes` of a chassis. Name -> first microversion. */
  readonly subResources?: Readonly<Record<string, number>>;
  filterOf(query: Query<A>, request: FastifyRequest): Promise<Partial<T>> | Partial<T>;
  create(values: FieldValues, request: FastifyRequest): Promise<T>;
  update(record: T, values: FieldValues, request: FastifyRequest): Promise<T>;
  remove(record: T, request: FastifyRequest): Promise<void>;
}

export interface CollectionRoutes<T extends Recorded, A extends Arguments> {
  /** The record with this UUID or name. Throws invalidParameter, notFound. */
  find(request: FastifyRequest, ident: string): Promise<T>;
  /**
   * Registers the same list under another resource, with and without detail: `nodes/:node` makes
   * `/v1/nodes/{node}/ports`. `ownedBy` finds the owner and returns the filter for the records that belong to it.
   */
  listUnder(
    owner: string,
    since: number,
    ownedBy: (request: FastifyRequest, query: Query<A>) => Promise<Partial<T>>,
  ): void;
  /** Schema of one record in answers. */
  readonly shape: JsonSchema;
  present(request: FastifyRequest, record: T, names?: readonly string[] | null): Record<string, unknown>;
}
