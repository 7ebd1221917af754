/**
 * Boot interfaces `ipxe` and `pxe`, for the conductor's own DHCP, TFTP and HTTP. These read the store, so preparing a
 * boot means to store the boot target and to set the boot device.
 *
 * The boot program depends on the machine's firmware, which netboot recognizes in the request. The two names exist so
 * that node records of Ironic can be used unchanged.
 */
import type { KernelParam } from '../domain/boot.ts';
import type { BootInterface } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import { parseInstanceInfo, required } from '../domain/instance-info.ts';
import type { JsonObject } from '../domain/json.ts';
import { checkWord, parseKernelArguments, splitWords } from '../domain/kernel-arguments.ts';
import type { Node } from '../domain/node.ts';
import { type AgentEndpoints, agentParams, newBootSecret } from './agent-params.ts';

export interface NetworkBootSettings {
  /** null without a provisioning interface. */
  readonly endpoints: AgentEndpoints | null;
  /** The setting provisioning.untrusted: no secret may travel over this network in clear. */
  readonly untrusted: boolean;
  /** The setting kernel_append_params. */
  readonly kernelAppendParams: string;
  /** Path of the first missing file of the deploy ramdisk; undefined when it is complete. */
  readonly missingBootFile: () => string | undefined;
}

export function createNetworkBoot(name: 'ipxe' | 'pxe', settings: NetworkBootSettings): BootInterface {
  return {
    name,
    properties: {
      kernel_append_params:
        "Kernel command line of the ramdisk, beside what the agent needs. %default% stands for the conductor's own. ipa-api-url, ingot.* and BOOTIF are not allowed. Optional.",
    },

    validate(node, ports) {
      if (settings.endpoints === null) {
        throw new IngotError(
          'missingParameter',
          'the conductor has no provisioning interface: start it with --interface',
        );
      }
      if (settings.untrusted) {
        throw new IngotError(
          'unsupported',
          `boot interface "${name}" sends the boot secret over the provisioning network in clear, and provisioning.untrusted is set: use a boot interface that does not boot from the network`,
        );
      }
      const missing = settings.missingBootFile();
      if (missing !== undefined) {
        throw new IngotError(
          'missingParameter',
          `the conductor has no deploy ramdisk: ${missing} is not there. Make one with "ingot ramdisk build", or start the conductor with --ramdisk and its directory`,
        );
      }
      if (!ports.some((port) => port.pxeEnabled)) {
        throw new IngotError(
          'missingParameter',
          `node ${node.uuid} has no port with pxe_enabled: create one with the MAC address of the card it boots from`,
        );
      }
      appendedParams(node, settings);
    },

    async prepareRamdisk(context, _, kernelParams) {
      const words = [
        ...appendedParams(context.node, settings),
        ...paramsFor(context.node, settings, kernelParams),
      ];
      await context.updateNode({
        bootTarget: { kind: 'ramdisk', kernelParams: words, bootSecret: newBootSecret() },
      });
      await context.management.setBootDevice(context, { device: 'pxe', persistent: false });
      return { kind: 'done' };
    },
    async prepareInstance(context, _, { isRunning }) {
      await context.updateNode({ bootTarget: { kind: 'disk' } });
      if (!isRunning) await context.management.setBootDevice(context, { device: 'disk', persistent: true });
      return { kind: 'done' };
    },
    async cleanUp(context) {
      await context.updateNode({ bootTarget: null });
      return { kind: 'done' };
    },
  };
}

/** From instance_info, else driver_info, else the conductor's default; every word is checked. */
function appendedParams(node: Node, settings: NetworkBootSettings): KernelParam[] {
  const asked = required(parseInstanceInfo(node.instanceInfo).kernelAppendParams);
  if (asked !== undefined) return parseKernelArguments(asked, 'instance_info', settings.kernelAppendParams);
  const own = node.driverInfo['kernel_append_params'] ?? '%default%';
  if (typeof own !== 'string') {
    throw new IngotError(
      'invalidParameter',
      'driver_info.kernel_append_params must be a string of kernel arguments',
    );
  }
  return parseKernelArguments(own, 'driver_info', settings.kernelAppendParams);
}

function paramsFor(node: Node, { endpoints }: NetworkBootSettings, more: JsonObject): KernelParam[] {
  const named = { ...(endpoints === null ? {} : agentParams(endpoints, node.uuid)), ...more };
  return Object.entries(named).flatMap(([key, value]) =>
    splitWords(`${key}=${value}`).map((word) => checkWord(word, key)),
  );
}
