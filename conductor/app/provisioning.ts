/**
 * The provisioning network: DHCP, TFTP, the HTTP server for booting machines, and the HTTPS server for their agents.
 */
import type { ApiDeps } from '../api/ironic/deps.ts';
import { createRamdiskApi } from '../api/ironic/ramdisk-api.ts';
import type { Config } from '../config/config.ts';
import { defaultRange, type ProvisioningNetwork } from '../config/provisioning-network.ts';
import type { FixedAddresses } from '../domain/boot.ts';
import type { BootTrust } from '../domain/boot-trust.ts';
import { valuesOf } from '../domain/setting.ts';
import { createBootDirectory } from '../drivers/boot-directory.ts';
import type { Engine } from '../engine/engine.ts';
import { limitTransfers, transferLimits } from '../http/transfer-limit.ts';
import type { ImageCacheService } from '../images/cache.ts';
import { registerImages } from '../images/routes.ts';
import { DHCP_SETTINGS } from '../netboot/dhcp-settings.ts';
import { createNetboot, type NetbootSettings } from '../netboot/netboot.ts';
import { createBootTrace } from './boot-trace.ts';
import type { Foundation } from './foundation.ts';
import type { Part } from './parts.ts';

export interface ProvisioningDeps {
  readonly engine: Engine;
  readonly api: ApiDeps;
  readonly images: ImageCacheService;
  readonly trust: BootTrust;
  /** Set when the network service assigns addresses to the machines of servers. */
  readonly fixedAddresses?: FixedAddresses | undefined;
}

/** Empty without a provisioning interface. */
export function openProvisioning(foundation: Foundation, deps: ProvisioningDeps): Part {
  const { config, store, provisioning, logger, now } = foundation;
  const { network } = config;
  if (network === null || provisioning === null) return {};
  const { fixedAddresses } = deps;
  const netboot = createNetboot(netbootSettings(config, network, provisioning.plainUrl), {
    directory: createBootDirectory({ store, trust: deps.trust, now }),
    leases: store.leases,
    ...(fixedAddresses && { fixedAddresses }),
    trace: createBootTrace(foundation, deps.engine),
    now,
    logger,
  });
  const http = createRamdiskApi(deps.api);
  const { key, certificate } = provisioning.tls;
  const https = createRamdiskApi(deps.api, { key, cert: certificate, minVersion: 'TLSv1.3' });
  const limits = transferLimits(config);
  for (const app of [http, https]) {
    limitTransfers(app, limits, config.bootStallMs);
    registerImages(app, deps.images, store.nodes);
  }
  netboot.registerRoutes(http);
  return {
    async start() {
      await http.listen({ host: network.address, port: config.bootPort });
      await https.listen({ host: network.address, port: config.bootTlsPort });
      await netboot.start();
    },
    async stop() {
      await netboot.stop();
      await Promise.all([http.close(), https.close()]);
    },
  };
}

function netbootSettings(config: Config, network: ProvisioningNetwork, bootUrl: string): NetbootSettings {
  const { tftpPort, tftpRoot, ramdiskDir } = config;
  const range = defaultRange(network);
  return {
    dhcp: {
      ...valuesOf(DHCP_SETTINGS, config),
      address: network.address,
      netmask: network.netmask,
      dhcpRangeStart: config.dhcpRangeStart ?? range.start,
      dhcpRangeEnd: config.dhcpRangeEnd ?? range.end,
      loaders: {
        bios: config.biosLoader,
        'uefi-ia32': config.uefiIa32Loader,
        'uefi-x64': config.uefiLoader,
        'uefi-arm64': config.uefiArm64Loader,
      },
      httpBaseUrl: bootUrl,
    },
    tftpPort,
    tftp: {
      networks: config.tftpNetworks,
      perAddress: config.tftpTransfersPerAddress,
      plainRequests: config.tftpPlainRequests,
    },
    tftpRoot,
    ramdiskDir,
  };
}
