/**
 * The façade's listener over a database in memory, called in process like a client. The test chooses the caller. Services
 * that a test does not provide throw an error when they are used.
 */
import { createCloudServer } from '@ingot/conductor/api/cloud/cloud-server.ts';
import type { CloudService } from '@ingot/conductor/api/cloud/cloud-service.ts';
import type { ComputeDeps } from '@ingot/conductor/api/cloud/deps.ts';
import type { Authentication } from '@ingot/conductor/auth/authentication.ts';
import type { Caller } from '@ingot/conductor/domain/policy.ts';
import type { Store } from '@ingot/conductor/domain/store/store.ts';
import { DEFAULT_SETTINGS } from '@ingot/conductor/scheduler/settings.ts';
import type { ComputeSettings } from '@ingot/conductor/servers/settings.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import pino from 'pino';

export interface CloudAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly body: any;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface CloudCallOptions {
  /** The caller; by default an administrator of the project `default`; null for an unauthenticated request. */
  readonly as?: Caller | null;
  /** Compute API microversion 2.N. */
  readonly minor?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export type CloudCall = (
  method: string,
  path: string,
  body?: unknown,
  options?: CloudCallOptions,
) => Promise<CloudAnswer>;

export interface TestCloud {
  readonly call: CloudCall;
  readonly store: Store;
  readonly deps: ComputeDeps;
  readonly app: ReturnType<typeof createCloudServer>;
  close(): Promise<void>;
}

export const member = (project: string, user = `user-of-${project}`): Caller => ({
  user,
  scope: { kind: 'project', id: project },
  role: 'member',
  service: false,
});
export const admin: Caller = { ...member('default', 'admin'), role: 'admin', administersCloud: true };
export const reader = (project: string): Caller => ({ ...member(project), role: 'reader' });

export const testComputeSettings: ComputeSettings = {
  host: 'conductor-1',
  publicEndpoint: null,
  scheduler: DEFAULT_SETTINGS,
  defaultAvailabilityZone: 'nova',
  domainCapability: null,
  vendorData: null,
  serviceReportMs: 10_000,
  serviceDownMs: 60_000,
  maxLimit: 1000,
};

/** A service that throws when it is used. */
function missing<T extends object>(room: string): T {
  return new Proxy({} as T, {
    get(_, name) {
      throw new Error(`this test provides no ${room}, but ${String(name)} of it was used`);
    },
  });
}

const CALLER = 'x-test-caller';
const NOBODY = { header: 'Test', body: { error: { code: 401, message: 'Who is there?' } } } as const;

const TOLD: Authentication = {
  callerOf: async ({ headers }) => {
    const caller = headers[CALLER];
    return typeof caller === 'string' ? (JSON.parse(caller) as Caller) : NOBODY;
  },
};

export async function createTestCloud(
  services: readonly CloudService[],
  given: Partial<ComputeDeps> = {},
  authentication: Authentication = TOLD,
): Promise<TestCloud> {
  const store = given.store ?? (await openStore({ path: ':memory:' }));
  const logger = pino({ level: 'silent' });
  const deps: ComputeDeps = {
    engine: missing('engine'),
    instances: missing('instances'),
    images: missing('images'),
    networks: missing('networks'),
    settings: testComputeSettings,
    now: () => new Date(),
    ...given,
    store,
    logger: given.logger ?? logger,
  };
  const app = createCloudServer(services, deps, authentication, logger);
  await app.ready();
  return {
    app,
    deps,
    store,
    async call(method, path, body, { as = admin, minor, headers = {} } = {}) {
      const response = await app.inject({
        method: method as 'GET',
        url: path,
        headers: {
          host: 'cloud.test',
          ...(as === null ? {} : { [CALLER]: JSON.stringify(as) }),
          ...(minor === undefined ? {} : { 'openstack-api-version': `compute 2.${minor}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = response.body;
      const isJson = String(response.headers['content-type']).includes('json');
      return {
        status: response.statusCode,
        body: text === '' ? undefined : isJson ? JSON.parse(text) : text,
        headers: response.headers,
      };
    },
    async close() {
      await app.close();
      if (given.store === undefined) await store.close();
    },
  };
}
