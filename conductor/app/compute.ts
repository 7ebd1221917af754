/**
 * Creates the compute façade: servers on the machines of the engine, images, networks, and the listener that their
 * APIs share.
 */
import type { FastifyBaseLogger } from 'fastify';
import { createCloudServer } from '../api/cloud/cloud-server.ts';
import type { CloudService } from '../api/cloud/cloud-service.ts';
import { createGlanceService } from '../api/glance/glance-service.ts';
import { createIdentityService } from '../api/keystone/identity-service.ts';
import { createNetworkService } from '../api/neutron/network-service.ts';
import { novaService } from '../api/nova/nova-service.ts';
import type { Authentication } from '../auth/authentication.ts';
import type { Config } from '../config/config.ts';
import { defaultRange } from '../config/provisioning-network.ts';
import type { FixedAddresses } from '../domain/boot.ts';
import type { HostPort } from '../domain/host-port.ts';
import type { Store } from '../domain/store/store.ts';
import type { Engine } from '../engine/engine.ts';
import type { ImageLibrary } from '../image-service/image-library.ts';
import { createServerNetworks } from '../network-service/create-server-networks.ts';
import { createFixedAddresses } from '../network-service/fixed-addresses.ts';
import {
  dhcpRangeOf,
  ensureProvisioningNetwork,
  type ServedNetwork,
} from '../network-service/provisioning-network.ts';
import { createBareMetalDriver } from '../servers/bare-metal/bare-metal-driver.ts';
import { createInstances } from '../servers/create-instances.ts';
import { computeSettingsOf } from './compute-settings.ts';
import type { ListenerTls } from './listener-tls.ts';

export interface ComputeApp {
  /** Does not listen before `start`. */
  readonly cloud: ReturnType<typeof createCloudServer>;
  /** The addresses that our DHCP server must give to machines of servers, if it serves their network. */
  readonly fixedAddresses?: FixedAddresses;
  /** Call it when the engine runs: continues unfinished work, then listens. */
  start(): Promise<void>;
  /** Call it before the engine stops. */
  stop(): Promise<void>;
}

export interface ComputeAppDeps {
  readonly config: Config;
  readonly engine: Engine;
  readonly store: Store;
  readonly images: ImageLibrary;
  readonly authentication: Authentication;
  /** null: plain HTTP. */
  readonly tls: ListenerTls | null;
  readonly logger: FastifyBaseLogger;
  readonly now: () => Date;
}

export function createComputeApp(listen: HostPort, deps: ComputeAppDeps): ComputeApp {
  const { config, engine, store, images, authentication, tls, logger, now } = deps;
  const settings = computeSettingsOf(config);
  const served = servedNetwork(config);
  const dhcp = served && dhcpRangeOf(served);
  const networks = createServerNetworks({ store, dhcp, now });
  const driver = createBareMetalDriver({ engine, store, images, settings, now });
  const instances = createInstances({ store, driver, images, networks, settings, logger, now });
  const cloud = createCloudServer(
    [
      novaService,
      createGlanceService(images),
      createNetworkService(dhcp),
      ...identityServices(config, authentication),
    ],
    { engine, store, instances, images, networks, settings, logger, now },
    authentication,
    logger,
    tls?.options,
  );
  tls?.serves(cloud.server);
  return {
    cloud,
    ...(dhcp && { fixedAddresses: createFixedAddresses(store, dhcp.cidr) }),
    async start() {
      if (served !== null) await ensureProvisioningNetwork(store, served, now());
      await instances.open();
      await cloud.listen(listen);
    },
    async stop() {
      await cloud.close();
      await instances.close();
    },
  };
}

/** None when Keystone issues the tokens. */
function identityServices(config: Config, { identity }: Authentication): CloudService[] {
  if (identity === undefined) return [];
  const { publicEndpoint, listen, computeRegion: region } = config;
  const isEverywhere = listen.host === '0.0.0.0' || listen.host === '::';
  const hostOf = (hostname: string): string => {
    const host = isEverywhere ? hostname : listen.host;
    return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  };
  const bareMetalUrl = (hostname: string): string =>
    publicEndpoint ?? `${config.apiTlsCert === null ? 'http' : 'https'}://${hostOf(hostname)}:${listen.port}`;
  return [createIdentityService(identity, { region, bareMetalUrl })];
}

/** The network on which our DHCP server gives servers their addresses; null when there is none. */
function servedNetwork({ network, dhcpMode: mode, ...config }: Config): ServedNetwork | null {
  if (network === null || mode !== 'reservation') return null;
  const { start, end } = defaultRange(network);
  return {
    mode,
    address: network.address,
    netmask: network.netmask,
    rangeStart: config.dhcpRangeStart ?? start,
    rangeEnd: config.dhcpRangeEnd ?? end,
    router: config.dhcpRouter,
    dns: config.dhcpDns,
  };
}
