/**
 * Power and management interfaces `ipmitool`, which use the conductor's own RMCP+ client.
 *
 * The name is Ironic's, so that its node records can be used unchanged; the program ipmitool is not run. Every power
 * change and boot device is read back, because some BMCs acknowledge commands that they do not carry out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { IpmiClient } from '../bmc/ipmi/client.ts';
import type { IpmiClients } from '../bmc/ipmi/clients.ts';
import { parseIpmiDriverInfo } from '../bmc/ipmi/driver-info.ts';
import { IPMI_PROPERTIES } from '../bmc/ipmi/driver-properties.ts';
import type { ManagementInterface, PowerInterface, PowerTarget } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import type { BootDevice, Node, PowerState } from '../domain/node.ts';
import type { NodeContext } from '../domain/node-context.ts';
import { knownBootMode } from './boot-mode.ts';

type IpmiBootDevice = Extract<BootDevice, 'pxe' | 'disk' | 'cdrom' | 'bios' | 'safe' | 'floppy'>;

export interface IpmiAccess {
  /** Throws IngotError('missingParameter' | 'invalidParameter') naming the driver_info field. */
  validate(driverInfo: JsonObject): void;
  session(
    driverInfo: JsonObject,
  ): Pick<IpmiClient, 'getPowerState' | 'setPower' | 'getBootDevice' | 'setBootDevice'>;
}

/** Clients of the BMCs named by driver_info. */
export function createIpmiAccess(clients: IpmiClients): IpmiAccess {
  return {
    validate: (driverInfo) => void parseIpmiDriverInfo(driverInfo),
    session: (driverInfo) => clients.for(parseIpmiDriverInfo(driverInfo)),
  };
}

const BOOT_DEVICES = [
  'pxe',
  'disk',
  'cdrom',
  'bios',
  'safe',
  'floppy',
] as const satisfies readonly IpmiBootDevice[];
const POLL_MS = 500;
/** How long hardware may take to carry out a hard power command. */
const POWER_WAIT_MS = 60_000;
/** How long a BMC may take to answer for the first time. It is short, because an operator waits for the result. */
const VERIFY_MS = 15_000;
/** How long an operating system may take to shut down when no limit is given (Ironic's default). */
const SOFT_WAIT_MS = 600_000;

export function createIpmiPower(access: IpmiAccess): PowerInterface {
  const state = (context: NodeContext, deadline?: Date): Promise<PowerState> =>
    access.session(context.node.driverInfo).getPowerState({ signal: context.signal, deadline });

  /** Sends the command and waits until the BMC reports the state. */
  async function bring(
    context: NodeContext,
    action: 'on' | 'off' | 'soft off' | 'reset',
    waitMs: number,
  ): Promise<void> {
    const { signal, node } = context;
    const wanted: PowerState = action === 'on' || action === 'reset' ? 'power on' : 'power off';
    await access.session(node.driverInfo).setPower(action, { signal });
    const deadline = context.now().getTime() + waitMs;
    while ((await state(context)) !== wanted) {
      if (context.now().getTime() > deadline) {
        throw new IngotError(
          'timeout',
          `the BMC accepted "power ${action}" but still does not report "${wanted}" after ${waitMs / 1000} s`,
        );
      }
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  const soft = (timeoutMs: number | undefined): number => timeoutMs ?? SOFT_WAIT_MS;

  const changes: Readonly<Record<PowerTarget, (context: NodeContext, timeoutMs?: number) => Promise<void>>> =
    {
      'power on': (context) => bring(context, 'on', POWER_WAIT_MS),
      'power off': (context) => bring(context, 'off', POWER_WAIT_MS),
      'soft power off': (context, timeoutMs) => bring(context, 'soft off', soft(timeoutMs)),
      // Off and on again instead of a reset, because a machine reads the boot device only when it is powered on. A
      // machine that must stay on can only be reset.
      async rebooting(context) {
        const isOn = (await state(context)) === 'power on';
        if (isOn && context.node.disablePowerOff) return bring(context, 'reset', POWER_WAIT_MS);
        if (isOn) await bring(context, 'off', POWER_WAIT_MS);
        await bring(context, 'on', POWER_WAIT_MS);
      },
      async 'soft rebooting'(context, timeoutMs) {
        if (context.node.disablePowerOff) {
          throw new IngotError(
            'unsupported',
            'a soft reboot switches the power off in between, which "disable_power_off" forbids: ask for "rebooting"',
          );
        }
        if ((await state(context)) === 'power on') await bring(context, 'soft off', soft(timeoutMs));
        await bring(context, 'on', POWER_WAIT_MS);
      },
    };

  return {
    name: 'ipmitool',
    properties: IPMI_PROPERTIES,
    validate: (node) => access.validate(node.driverInfo),
    targets: Object.keys(changes) as PowerTarget[],
    getPowerState: (context) => state(context),
    setPowerState: (context, target, timeoutMs) => changes[target](context, timeoutMs),
    steps: [
      {
        operation: 'verify',
        step: 'verify_power',
        priority: 100,
        abortable: true,
        onRestart: 'rerun',
        async advance(context) {
          const deadline = new Date(context.now().getTime() + VERIFY_MS);
          await context.updateNode({ powerState: await state(context, deadline) });
          return { kind: 'done' };
        },
      },
    ],
  };
}

export function createIpmiManagement(access: IpmiAccess): ManagementInterface {
  return {
    name: 'ipmitool',
    properties: IPMI_PROPERTIES,
    validate: (node) => access.validate(node.driverInfo),
    supportedBootDevices: async () => BOOT_DEVICES,

    async getBootDevice({ node, signal }) {
      const found = await access.session(node.driverInfo).getBootDevice({ signal });
      return {
        device: BOOT_DEVICES.find((one) => one === found.device) ?? null,
        persistent: found.persistent,
      };
    },

    async setBootDevice({ node, signal }, { device, persistent }) {
      const known = BOOT_DEVICES.find((one) => one === device);
      if (known === undefined) {
        throw new IngotError(
          'invalidParameter',
          `Invalid boot device ${device} specified. Supported: ${BOOT_DEVICES.join(', ')}.`,
        );
      }
      // The client reads it back, because some BMCs acknowledge a device and keep another.
      const uefi = bootsUefi(node);
      await access.session(node.driverInfo).setBootDevice({ device: known, persistent, uefi }, { signal });
    },
  };
}

const bootsUefi = (node: Node): boolean => knownBootMode(node) === 'uefi';
