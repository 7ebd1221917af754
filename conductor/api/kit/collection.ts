/**
 * A resource as data: its field table, its filters and what happens at POST, PATCH and DELETE. Its routes follow from
 * it: see collection-routes.ts.
 */
import type { WireField } from '@ingot/shared/ironic/wire-field.ts';
import type { FastifyRequest } from 'fastify';
import type { Recorded } from '../../domain/resources.ts';
import type { RecordStore } from '../../domain/store/records.ts';
import type { Getter } from './presentation.ts';
import type { Arguments, Query } from './query.ts';
import type { FieldValues } from './resource-body.ts';
import type { JsonSchema } from './route-doc.ts';

/** What a collection needs of the API that it is part of. */
export interface CollectionHost {
  /** Base of every link in answers, without a trailing slash; null takes it from the request. */
  readonly publicEndpoint: string | null;
  /** Largest page of a list. */
  readonly maxLimit: number;
  /** Whether the caller may know that the record exists. */
  sees(request: FastifyRequest, record: Recorded): Promise<boolean>;
  /** The project that a list is narrowed to; undefined for the whole. */
  listedProject(request: FastifyRequest): string | undefined;
  /** What a caller sees in place of a field that `policy` does not let it see; undefined when it does. */
  redacted(request: FastifyRequest, policy: string): unknown;
}

export interface Collection<T extends Recorded, A extends Arguments> {
  /** Path under the version root: `ports`, `volume/targets`. */
  readonly path: string;
  /** Key of the list in answers: `ports`, `targets`. */
  readonly key: string;
  /** In error texts: `port`, `deploy template`. */
  readonly singular: string;
  /** First API microversion; older requests get 404. */
  readonly since: number;
  /** What older requests get for POST, PATCH and DELETE, where Ironic hides the methods and not the path. */
  readonly tooNewToChange?: 404 | 405;
  /** Older requests get 404 for every method. */
  readonly hidesPath?: true;
  /** PATCH came later than the rest. */
  readonly patchSince?: number;
  readonly fields: readonly WireField[];
  /** What a plain list shows; null for everything. */
  readonly listFields: readonly string[] | null;
  /** Fields a POST must have. */
  readonly required: readonly string[];
  /** Found by name from this microversion on. */
  readonly namesSince?: number;
  /** `GET /v1/<path>/detail` is there: resources younger than 1.43 have only `?detail=`. */
  readonly hasDetailPath: boolean;
  /** `?detail=` from this microversion on; null where the list has no such argument. */
  readonly detailSince: number | null;
  readonly filters: A;
  readonly store: RecordStore<T>;
  /** Values that are not a field of the record itself. */
  readonly getters?: Readonly<Record<string, Getter<T>>>;
  /** Fields that requests of some versions see in another form. */
  readonly formAt?: Readonly<Record<string, (minor: number) => Getter<T> | undefined>>;
  /** Shown as link arrays: `nodes` of a chassis. Name -> first microversion. */
  readonly subResources?: Readonly<Record<string, number>>;
  filterOf(query: Query<A>, request: FastifyRequest): Promise<Partial<T>> | Partial<T>;
  create(values: FieldValues, request: FastifyRequest): Promise<T>;
  update(record: T, values: FieldValues, request: FastifyRequest): Promise<T>;
  remove(record: T, request: FastifyRequest): Promise<void>;
}

export interface CollectionRoutes<T extends Recorded, A extends Arguments> {
  /** The record an identifier stands for. Throws invalidParameter, notFound. */
  find(request: FastifyRequest, ident: string): Promise<T>;
  /**
   * The same list under another resource, plain and in detail: `nodes/:node` gives `/v1/nodes/{node}/ports`.
   * `ownedBy` finds the owner and returns the filter that keeps what is its own.
   */
  listUnder(
    owner: string,
    since: number,
    ownedBy: (request: FastifyRequest, query: Query<A>) => Promise<Partial<T>>,
  ): void;
  /** Of one record in answers. */
  readonly shape: JsonSchema;
  present(request: FastifyRequest, record: T, names?: readonly string[] | null): Record<string, unknown>;
}
