/**
 * Puts a conductor together by hand: what is made in which order, and closed in the reverse one.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { createAgentClients } from '../agent-link/agent-client.ts';
import { createAgentLink } from '../agent-link/agent-link.ts';
import { createRamdiskIntake } from '../agent-link/ramdisk-intake.ts';
import { createApi } from '../api/ironic/api.ts';
import type { ApiDeps, ApiSettings } from '../api/ironic/deps.ts';
import { createRamdiskApi } from '../api/ironic/ramdisk-api.ts';
import { createAuthentication } from '../auth/authentication.ts';
import { createIpmiClients } from '../bmc/ipmi/clients.ts';
import type { Config } from '../config/config.ts';
import { defaultRange } from '../config/provisioning-network.ts';
import type { BootTrace } from '../domain/boot.ts';
import { NO_DELAY, parseDelayRange } from '../domain/delay-range.ts';
import { listAll } from '../domain/store/page.ts';
import { createAgentInspect } from '../drivers/agent-inspect.ts';
import { createBootDirectory } from '../drivers/boot-directory.ts';
import { createDirectDeploy } from '../drivers/direct-deploy.ts';
import { createFakeInterfaces } from '../drivers/fake/interfaces.ts';
import { createHardwareTypes } from '../drivers/hardware-types.ts';
import { createIpmiAccess, createIpmiManagement, createIpmiPower } from '../drivers/ipmitool.ts';
import { createNetworkBoot } from '../drivers/network-boot.ts';
import { createEngine } from '../engine/create-engine.ts';
import { newUuid } from '../engine/identifiers.ts';
import { createImageService } from '../image-service/image-library.ts';
import { createImageCache } from '../images/cache.ts';
import { createConfigDriveBuilder } from '../images/config-drive.ts';
import { openForImport } from '../images/import-source.ts';
import { examineDeclared } from '../images/inspect.ts';
import { registerImages } from '../images/routes.ts';
import { createNetboot } from '../netboot/netboot.ts';
import { openStore } from '../store/sqlite/store.ts';
import { authSettingsOf } from './auth-settings.ts';

export interface RunningApp {
  start(): Promise<void>;
  stop(): Promise<void>;
}

const GIB = 1024 ** 3;

/** The texts were checked when the configuration was read. */

function fakeDelays(config: Config) {
  const delay = (text: string) => parseDelayRange(text) ?? NO_DELAY;
  return {
    power: delay(config.fakePowerDelay),
    management: delay(config.fakeManagementDelay),
    boot: delay(config.fakeBootDelay),
    deploy: delay(config.fakeDeployDelay),
    inspect: delay(config.fakeInspectDelay),
    rescue: delay(config.fakeRescueDelay),
    storage: delay(config.fakeStorageDelay),
    bios: delay(config.fakeBiosDelay),
    raid: delay(config.fakeRaidDelay),
    firmware: delay(config.fakeFirmwareDelay),
    vendor: delay(config.fakeVendorDelay),
  };
}

export async function createApp(config: Config): Promise<RunningApp> {
  const logger = pino({ level: config.logLevel });
  const now = (): Date => new Date();
  const store = await openStore({ path: join(config.dataDir, 'ingot.db'), logger });
  const { network } = config;
  const bootUrl = network === null ? null : `http://${network.address}:${config.bootPort}`;

  const hasImages = config.computeListen !== null;
  const library = createImageService({
    store,
    settings: {
      dir: join(config.dataDir, 'image-service'),
      maxBytes: config.imageMaxGib * GIB,
      stallMs: config.imageStallSeconds * 1000,
      importLimitMs: config.imageImportTimeoutSeconds * 1000,
      importHosts: config.imageImportHosts,
    },
    examine: examineDeclared,
    fetch: openForImport,
    prepared: (requests) => images.prepared(requests),
    logger,
    now,
  });
  const images = createImageCache({
    dir: join(config.dataDir, 'images'),
    fileAllow: config.imageAllow,
    maxBytes: config.imageCacheGib * GIB,
    fetchLimitMs: config.imageFetchTimeoutSeconds * 1000,
    allowMd5: config.imageAllowMd5,
    // Without the façade nobody has images there, and a UUID is no image_source.
    ...(hasImages ? { stored: library.stored } : {}),
  });
  const bootFiles = ['vmlinuz', 'ramdisk.img'].map((name) => join(config.ramdiskDir, name));
  const bmcs = createIpmiClients({ logger, now });
  const ipmi = createIpmiAccess(bmcs);
  const agents = createAgentClients();
  const bootSettings = {
    agentApiUrl: bootUrl,
    kernelAppendParams: config.kernelParams,
    missingBootFile: () => bootFiles.find((path) => !existsSync(path)),
  };
  const engine = createEngine({
    store,
    hardwareTypes: createHardwareTypes({
      fake: createFakeInterfaces({ delays: fakeDelays(config), random: Math.random }),
      ipmiPower: createIpmiPower(ipmi),
      ipmiManagement: createIpmiManagement(ipmi),
      ipxe: createNetworkBoot('ipxe', bootSettings),
      pxe: createNetworkBoot('pxe', bootSettings),
      direct: createDirectDeploy(images),
      agentInspect: createAgentInspect(
        { callbackUrl: bootUrl === null ? null : `${bootUrl}/v1/continue_inspection` },
        {
          inventoryOf: (nodeUuid) => store.inventory.get(nodeUuid),
          addPort: async (nodeUuid, address) =>
            void (await store.ports.create({ uuid: newUuid(), nodeUuid, address }, now())),
          inspectionRules: () => listAll(store.inspectionRules, {}),
          portsOf: (nodeUuid) => listAll(store.ports, { nodeUuid }),
          changePort: async (uuid, patch) => void (await store.ports.update(uuid, patch, now())),
          keepInventory: (nodeUuid, inventory) => store.inventory.put(nodeUuid, inventory, now()),
          log: (node, level, message) => logger.info({ node, level }, `inspection rule: ${message}`),
        },
      ),
    }),
    images,
    configDrives: createConfigDriveBuilder(),
    agents: createAgentLink(agents.for),
    services: { agentApiUrl: bootUrl },
    settings: {
      host: config.host,
      conductorGroup: config.conductorGroup?.toLowerCase() ?? '',
      lockQueueMs: config.lockQueueSeconds * 1000,
      holdDeadlineMs: config.holdDeadlineSeconds * 1000,
      bootTimeoutMs: config.bootTimeoutSeconds * 1000,
      bootLimitScale: config.bootLimitScale,
      commandTimeoutMs: config.commandTimeoutSeconds * 1000,
      longCommandTimeoutMs: config.longCommandTimeoutSeconds * 1000,
      agentHeartbeatTimeoutMs: config.heartbeatTimeoutSeconds * 1000,
      automatedClean: config.automatedClean,
      powerSyncIntervalMs: config.powerSyncIntervalSeconds * 1000,
      powerSyncWorkers: config.powerSyncWorkers,
      powerSyncMaxFailures: config.powerSyncMaxFailures,
    },
    logger,
    now,
  });

  /** Sightings are stored in their own time; a node that waits for one is looked at. */
  const trace: BootTrace = {
    record(sighting) {
      store.sightings
        .add(sighting)
        .then(async () => {
          const node =
            sighting.mac === undefined ? undefined : (await store.nodes.findByMacs([sighting.mac]))[0];
          const uuid = sighting.nodeUuid ?? node?.uuid;
          if (uuid !== undefined) engine.wake(uuid);
        })
        .catch((error: unknown) => logger.error({ err: error }, 'a sighting could not be stored'));
    },
  };

  const apiSettings: ApiSettings = {
    publicEndpoint: config.publicEndpoint,
    host: config.host,
    maxLimit: config.maxLimit,
    heartbeatTimeoutMs: config.heartbeatTimeoutSeconds * 1000,
    ramdiskCallsPerMinute: config.ramdiskCallsPerMinute,
  };
  const authentication = createAuthentication(authSettingsOf(config), {
    revoked: store.revokedTokens,
    logger,
    now,
  });
  const apiDeps: ApiDeps = {
    engine,
    ramdisk: createRamdiskIntake({ store, logger, now, wake: engine.wake }),
    store,
    config: apiSettings,
    authentication,
    ...(hasImages ? { seesImage: library.sees } : {}),
    logger,
    now,
  };
  const api = createApi(apiDeps);
  const compute = await openCompute(config.computeListen);

  /** Loaded only where it is wanted. */
  async function openCompute(listen: Config['computeListen']) {
    if (listen === null) return null;
    const { createComputeApp } = await import('./compute.ts');
    return createComputeApp(listen, { config, engine, store, images: library, authentication, logger, now });
  }
  const provisioning = network === null || bootUrl === null ? null : openProvisioning(network, bootUrl);

  function openProvisioning(on: NonNullable<Config['network']>, url: string) {
    const range = defaultRange(on);
    const netboot = createNetboot(
      {
        dhcp: {
          mode: config.dhcpMode,
          address: on.address,
          netmask: on.netmask,
          rangeStart: config.dhcpRangeStart ?? range.start,
          rangeEnd: config.dhcpRangeEnd ?? range.end,
          router: config.dhcpRouter,
          dns: config.dhcpDns,
          leaseSeconds: config.dhcpLeaseSeconds,
          loaders: {
            bios: config.biosLoader,
            'uefi-ia32': config.uefiIa32Loader,
            'uefi-x64': config.uefiLoader,
            'uefi-arm64': config.uefiArm64Loader,
          },
          httpBaseUrl: url,
        },
        tftpPort: config.tftpPort,
        tftpRoot: config.tftpRoot,
        ramdiskDir: config.ramdiskDir,
      },
      {
        directory: createBootDirectory(store),
        leases: store.leases,
        ...(compute?.fixedAddresses && { fixedAddresses: compute.fixedAddresses }),
        trace,
        now,
        logger,
      },
    );
    const http = createRamdiskApi(apiDeps);
    netboot.registerRoutes(http);
    registerImages(http, images);
    return { netboot, http, host: on.address };
  }

  return {
    async start() {
      await images.sweep();
      // Machines may call back as soon as the engine wakes their operations, so their listener comes first.
      if (provisioning !== null) {
        await provisioning.http.listen({ host: provisioning.host, port: config.bootPort });
        await provisioning.netboot.start();
      }
      await library.start();
      await engine.start();
      await compute?.start();
      await api.listen({ host: config.listen.host, port: config.listen.port });
      logger.info(
        {
          listen: config.listen,
          compute: config.computeListen,
          provisioning: bootUrl,
          data: config.dataDir,
        },
        'ingot conductor is ready',
      );
    },
    async stop() {
      await api.close();
      await compute?.stop();
      await authentication.close?.();
      await provisioning?.netboot.stop();
      await provisioning?.http.close();
      await engine.stop();
      await library.stop();
      await images.stop();
      await Promise.all([bmcs.closeAll(), agents.close()]);
      await store.close();
    },
  };
}
