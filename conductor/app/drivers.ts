/**
 * Drivers: hardware types with their interfaces, and the connections to BMCs that they use.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createIpmiClients } from '../bmc/ipmi/clients.ts';
import type { HardwareType } from '../domain/drivers.ts';
import type { ImageCache } from '../domain/images.ts';
import type { Outbound } from '../domain/outbound/outbound.ts';
import { listAll } from '../domain/store/page.ts';
import { createAgentInspect, type InspectionStore } from '../drivers/agent-inspect.ts';
import { foreignApiUrl } from '../drivers/agent-params.ts';
import { createDirectDeploy } from '../drivers/direct-deploy.ts';
import { createFakeInterfaces } from '../drivers/fake/interfaces.ts';
import { createHardwareTypes } from '../drivers/hardware-types.ts';
import { createIpmiAccess, createIpmiManagement, createIpmiPower } from '../drivers/ipmitool.ts';
import { createNetworkBoot, type NetworkBootSettings } from '../drivers/network-boot.ts';
import { fakeDelaysOf } from '../drivers/settings.ts';
import { newUuid } from '../engine/identifiers.ts';
import type { Foundation } from './foundation.ts';
import type { Part } from './parts.ts';

export interface Drivers extends Part {
  readonly hardwareTypes: readonly HardwareType[];
}

export function openDrivers(foundation: Foundation, images: ImageCache, outbound: Outbound): Drivers {
  const { config, provisioning, logger, now } = foundation;
  const bmcs = createIpmiClients({ logger, now, seenSuites: foundation.store.bmcCipherSuites });
  const ipmi = createIpmiAccess(bmcs);
  const boot = networkBootSettings(foundation);
  return {
    hardwareTypes: createHardwareTypes({
      fake: createFakeInterfaces({ delays: fakeDelaysOf(config), random: Math.random }),
      ipmiPower: createIpmiPower(ipmi),
      ipmiManagement: createIpmiManagement(ipmi),
      ipxe: createNetworkBoot('ipxe', boot),
      pxe: createNetworkBoot('pxe', boot),
      direct: createDirectDeploy(images, (nodeUuid) => foundation.store.inventory.get(nodeUuid)),
      agentInspect: createAgentInspect(
        {
          callbackUrl: provisioning === null ? null : `${foreignApiUrl(provisioning)}/v1/continue_inspection`,
        },
        inspectionStore(foundation),
        outbound,
      ),
    }),
    stop: () => bmcs.closeAll(),
  };
}

function networkBootSettings({ config, provisioning }: Foundation): NetworkBootSettings {
  const files = ['vmlinuz', 'ramdisk.img'].map((name) => join(config.ramdiskDir, name));
  return {
    endpoints: provisioning,
    untrusted: config.provisioningUntrusted,
    kernelAppendParams: config.kernelParams,
    missingBootFile: () => files.find((path) => !existsSync(path)),
  };
}

function inspectionStore({ store, logger, now }: Foundation): InspectionStore {
  return {
    inventoryOf: (nodeUuid) => store.inventory.get(nodeUuid),
    addPort: async (nodeUuid, address) =>
      void (await store.ports.create({ uuid: newUuid(), nodeUuid, address }, now())),
    inspectionRules: () => listAll(store.inspectionRules, {}),
    portsOf: (nodeUuid) => listAll(store.ports, { nodeUuid }),
    changePort: async (uuid, patch) => void (await store.ports.update(uuid, patch, now())),
    keepInventory: (nodeUuid, inventory) => store.inventory.put(nodeUuid, inventory, now()),
    log: (node, level, message) => logger.info({ node, level }, `inspection rule: ${message}`),
  };
}
