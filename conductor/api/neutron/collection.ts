/**
 * What the shared routes need to know about networks, subnets and ports, and the paths of these routes.
 */

import type { FastifyRequest } from 'fastify';
import type { JsonObject } from '../../domain/json.ts';
import type { Recorded, RecordPatch } from '../../domain/resources.ts';
import type { Store } from '../../domain/store/store.ts';
import type { Tenant } from '../../identity/tenant.ts';
import type { NetworkError } from '../../network-service/network-error.ts';
import type { Access } from '../cloud/cloud-service.ts';
import type { ComputeDeps } from '../cloud/deps.ts';
import { baseUrlOf } from '../kit/base-url.ts';
import type { QueryValues } from '../kit/query-values.ts';
import type { BodyRules, Values } from './request-body.ts';

export interface Tagged extends Recorded {
  readonly tags: readonly string[];
}

export interface Collection<T extends Tagged> extends BodyRules {
  /**
   * Who may create, change and delete. Other callers who may change things get 404 for what they do not see, else
   * 403.
   */
  readonly writes: Access;
  readonly notFound: (id: string) => NetworkError;
  readonly records: (store: Store) => {
    find(uuid: string): Promise<T | undefined>;
    update(uuid: string, patch: RecordPatch<T>, now: Date): Promise<T>;
  };
  /** All records that may match; the store may use `query` to read fewer. */
  load(store: Store, query: QueryValues): Promise<readonly T[]>;
  isVisible(store: Store, tenant: Tenant): Promise<(record: T) => boolean>;
  /**
   * Returns a function that makes the answer for a record; reads once what all records need. The keys are the same
   * for every record.
   */
  views(store: Store, tenant: Tenant): Promise<(record: T) => JsonObject>;
  /** Attributes for filters and sorting. */
  shown(tenant: Tenant): readonly string[];
  /** These three run in a transaction. */
  create(tx: Store, values: Values, tenant: Tenant): Promise<T>;
  update(tx: Store, record: T, values: Values, tenant: Tenant): Promise<T>;
  remove(tx: Store, record: T): Promise<void>;
}

export const VERSION = '/v2.0';

/** `http://host:port/network/v2.0`, with the host that the caller used. */
export const versionUrl = (request: FastifyRequest, { settings }: ComputeDeps): string =>
  `${baseUrlOf(request, settings.publicEndpoint)}/network${VERSION}`;
