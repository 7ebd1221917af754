/**
 * What networks, subnets and ports each tell the routes that they have in common, and where those routes lie.
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
  /** Who may make, change and delete. Others who may change things hear 404 of what they do not see, then 403. */
  readonly writes: Access;
  readonly notFound: (id: string) => NetworkError;
  readonly records: (store: Store) => {
    find(uuid: string): Promise<T | undefined>;
    update(uuid: string, patch: RecordPatch<T>, now: Date): Promise<T>;
  };
  /** All that may match; `query` lets the store look at fewer. */
  load(store: Store, query: QueryValues): Promise<readonly T[]>;
  isVisible(store: Store, tenant: Tenant): Promise<(record: T) => boolean>;
  /** Looks up once what many need. The names it shows are the same for every record. */
  views(store: Store, tenant: Tenant): Promise<(record: T) => JsonObject>;
  /** Names that can be filtered and sorted by. */
  shown(tenant: Tenant): readonly string[];
  /** These three run in a transaction. */
  create(tx: Store, values: Values, tenant: Tenant): Promise<T>;
  update(tx: Store, record: T, values: Values, tenant: Tenant): Promise<T>;
  remove(tx: Store, record: T): Promise<void>;
}

export const VERSION = '/v2.0';

/** `http://host:port/network/v2.0`, as the caller reaches it. */
export const versionUrl = (request: FastifyRequest, { settings }: ComputeDeps): string =>
  `${baseUrlOf(request, settings.publicEndpoint)}/network${VERSION}`;
