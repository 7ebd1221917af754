/**
 * The real API and engine, with hardware that always works and a database in memory.
 */
import type { AgentCommands } from '@ingot/conductor/agent-link/agent-commands.ts';
import { createAgentLink } from '@ingot/conductor/agent-link/agent-link.ts';
import { createRamdiskIntake } from '@ingot/conductor/agent-link/ramdisk-intake.ts';
import { createApi } from '@ingot/conductor/api/ironic/api.ts';
import type { ApiDeps } from '@ingot/conductor/api/ironic/deps.ts';
import { createRamdiskApi } from '@ingot/conductor/api/ironic/ramdisk-api.ts';
import type { ApiSettings } from '@ingot/conductor/api/ironic/settings.ts';
import type { Authentication } from '@ingot/conductor/auth/authentication.ts';
import { type AuthSettings, createAuthentication } from '@ingot/conductor/auth/create-authentication.ts';
import type { Store } from '@ingot/conductor/domain/store/store.ts';
import { createFakeInterfaces } from '@ingot/conductor/drivers/fake/interfaces.ts';
import { createHardwareTypes } from '@ingot/conductor/drivers/hardware-types.ts';
import { createEngine } from '@ingot/conductor/engine/create-engine.ts';
import type { Engine } from '@ingot/conductor/engine/engine.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import pino from 'pino';
import { testCallbackCheck } from './callback-check.ts';
import { fakeConfigDrives, fakeImages, quietLogger, testSettings } from './engine-deps.ts';
import { NO_TRUST_EVENTS } from './trust-events.ts';

const noAgent: AgentCommands = {
  post: () => Promise.reject(new Error('no agent here')),
  get: async () => undefined,
  list: async () => [],
};

export const testApiSettings: ApiSettings = {
  publicEndpoint: null,
  host: 'test-conductor',
  maxLimit: 1000,
  heartbeatTimeoutMs: 300_000,
  ramdiskCallsPerMinute: 600,
};

const OPEN = { auth: 'none', htpasswdFile: null, keystone: null, tokens: null } as const;

/** The `ipmi` type has the fake interfaces under its name, so no BMC is needed. */
const hardwareTypes = () => {
  const fake = createFakeInterfaces();
  return createHardwareTypes({
    fake,
    ipmiPower: {
      ...fake.power,
      name: 'ipmitool',
      properties: { ipmi_address: 'IP address or name of the BMC. Required.' },
    },
    ipmiManagement: { ...fake.management, name: 'ipmitool' },
    ipxe: { ...fake.boot, name: 'ipxe' },
    pxe: { ...fake.boot, name: 'pxe' },
    direct: { ...fake.deploy, name: 'direct' },
    agentInspect: { ...fake.inspect, name: 'agent' },
  });
};

export interface TestApi {
  readonly api: ReturnType<typeof createApi>;
  readonly ramdiskApi: ReturnType<typeof createApi>;
  readonly deps: ApiDeps;
  readonly engine: Engine;
  readonly store: Store;
  close(): Promise<void>;
}

export async function createTestApi(
  settings: Partial<ApiSettings & AuthSettings> = {},
  logger: ApiDeps['logger'] = pino({ level: 'silent' }),
  given?: Authentication,
  givenStore?: Store,
  more: Pick<ApiDeps, 'ramdiskApart'> = {},
): Promise<TestApi> {
  const store = givenStore ?? (await openStore({ path: ':memory:' }));
  const engine = createEngine({
    store,
    hardwareTypes: hardwareTypes(),
    images: fakeImages,
    configDrives: fakeConfigDrives,
    agents: createAgentLink(() => noAgent),
    services: { plainUrl: null, tlsUrl: null },
    settings: testSettings,
    logger: quietLogger,
    now: () => new Date(),
  });
  const config = { ...testApiSettings, ...settings };
  const { publicEndpoint } = config;
  const publicEndpoints = publicEndpoint === null ? [] : [publicEndpoint];
  const authentication =
    given ??
    createAuthentication(
      { ...OPEN, publicEndpoints, ...config },
      { revoked: store.revokedTokens, logger, now: () => new Date() },
    );
  const deps: ApiDeps = {
    ...more,
    engine,
    ramdisk: createRamdiskIntake({
      store,
      logger: quietLogger,
      now: () => new Date(),
      wake: engine.wake,
      callbackProblem: testCallbackCheck(store),
      trust: NO_TRUST_EVENTS,
      allowPlaintext: true,
    }),
    store,
    config,
    authentication,
    logger,
    now: () => new Date(),
  };
  const api = createApi(deps);
  const ramdiskApi = createRamdiskApi(deps);
  await engine.start();
  await Promise.all([api.ready(), ramdiskApi.ready()]);
  return {
    api,
    ramdiskApi,
    deps,
    engine,
    store,
    async close() {
      await Promise.all([api.close(), ramdiskApi.close()]);
      await authentication.close?.();
      await engine.stop();
      await store.close();
    },
  };
}
