/**
 * A whole conductor in process, as conductor/app creates it, except for a store in memory, short limits and no
 * provisioning network: the real drivers, IPMI client, image cache, config drives and agent client.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentClients } from '@ingot/conductor/agent-link/agent-client.ts';
import { createAgentLink } from '@ingot/conductor/agent-link/agent-link.ts';
import { createRamdiskIntake } from '@ingot/conductor/agent-link/ramdisk-intake.ts';
import { createApi } from '@ingot/conductor/api/ironic/api.ts';
import type { ApiDeps } from '@ingot/conductor/api/ironic/deps.ts';
import { createRamdiskApi } from '@ingot/conductor/api/ironic/ramdisk-api.ts';
import { createNoAuth } from '@ingot/conductor/auth/no-auth.ts';
import { createIpmiClients } from '@ingot/conductor/bmc/ipmi/clients.ts';
import { createDirectDeploy } from '@ingot/conductor/drivers/direct-deploy.ts';
import { createFakeInterfaces } from '@ingot/conductor/drivers/fake/interfaces.ts';
import { createHardwareTypes } from '@ingot/conductor/drivers/hardware-types.ts';
import {
  createIpmiAccess,
  createIpmiManagement,
  createIpmiPower,
} from '@ingot/conductor/drivers/ipmitool.ts';
import { createNetworkBoot } from '@ingot/conductor/drivers/network-boot.ts';
import { createEngine } from '@ingot/conductor/engine/create-engine.ts';
import { createImageCache } from '@ingot/conductor/images/cache.ts';
import { createConfigDriveBuilder } from '@ingot/conductor/images/config-drive.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import pino from 'pino';
import { TEST_ENDPOINTS, TEST_NETWORK_BOOT } from './agent-endpoints.ts';
import { testApiSettings } from './api.ts';
import { type Call, createCall } from './api-client.ts';
import { QUICK } from './bmc/test-ipmi.ts';
import { testCallbackCheck } from './callback-check.ts';
import { quietLogger, testSettings } from './engine-deps.ts';
import { loopbackOutbound } from './outbound.ts';
import { NO_TRUST_EVENTS } from './trust-events.ts';

const CACHE_BYTES = 256 * 1024 * 1024;
const BMC_TIMEOUT_MS = 400;

export interface TestConductor extends AsyncDisposable {
  /** Calls the API as an operator. */
  readonly call: Call;
  /** Calls the API as a machine on the provisioning network. */
  readonly ramdiskCall: Call;
  readonly store: ApiDeps['store'];
}

export interface TestConductorOptions {
  /** Error of a conductor without a built ramdisk. */
  readonly missingBootFile?: string;
  /** Limit of one IPMI command. */
  readonly bmcTimeoutMs?: number;
}

export async function startTestConductor(options: TestConductorOptions = {}): Promise<TestConductor> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-test-conductor-'));
  const store = await openStore({ path: ':memory:' });
  const images = createImageCache(
    { dir: join(dir, 'images'), fileAllow: [], maxBytes: CACHE_BYTES },
    loopbackOutbound,
  );
  const bmcs = createIpmiClients({
    logger: quietLogger,
    settings: { ...QUICK, commandTimeoutMs: options.bmcTimeoutMs ?? BMC_TIMEOUT_MS },
  });
  const ipmi = createIpmiAccess(bmcs);
  const agents = createAgentClients();
  const fake = createFakeInterfaces();
  const boot = {
    ...TEST_NETWORK_BOOT,
    kernelAppendParams: '',
    missingBootFile: () => options.missingBootFile,
  };
  const engine = createEngine({
    store,
    hardwareTypes: createHardwareTypes({
      ipmiPower: createIpmiPower(ipmi),
      ipmiManagement: createIpmiManagement(ipmi),
      ipxe: createNetworkBoot('ipxe', boot),
      pxe: createNetworkBoot('pxe', boot),
      direct: createDirectDeploy(images, (nodeUuid) => store.inventory.get(nodeUuid)),
      agentInspect: { ...fake.inspect, name: 'agent' },
      fake,
    }),
    images,
    configDrives: createConfigDriveBuilder(),
    agents: createAgentLink(agents.for),
    services: TEST_ENDPOINTS,
    settings: testSettings,
    logger: quietLogger,
    now: () => new Date(),
  });
  const deps: ApiDeps = {
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
    config: testApiSettings,
    authentication: createNoAuth([], []),
    logger: pino({ level: 'silent' }),
    now: () => new Date(),
  };
  const api = createApi(deps);
  const ramdiskApi = createRamdiskApi(deps);
  await engine.start();
  return {
    call: createCall(api),
    ramdiskCall: createCall(ramdiskApi),
    store,
    async [Symbol.asyncDispose]() {
      await Promise.all([api.close(), ramdiskApi.close()]);
      await engine.stop();
      await images.stop();
      await Promise.all([bmcs.closeAll(), agents.close()]);
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
