/**
 * The operations of the conductor on a BMC. Each is one or a few IPMI commands in the BMC's session.
 *
 * setPower returns when the BMC has accepted the command; the caller watches the power state. setBootDevice reads the
 * device back, because some BMCs accept one and keep another.
 *
 * Every call throws BmcError, or IngotError('aborted') if its signal fires.
 */

import { THIS_CHANNEL } from '@ingot/shared/codec/ipmi/authentication-capabilities.ts';
import {
  BOOT_DEVICE_SELECTORS,
  type BootFlagDevice,
  bootFlagDevice,
  decodeBootFlags,
  encodeBootFlags,
} from '@ingot/shared/codec/ipmi/boot-flags.ts';
import {
  BIOS_HANDLED,
  BootParameter,
  getBootOption,
  KEEP_WITHOUT_CHASSIS_CONTROL,
  PARAMETER_NOT_SUPPORTED,
  setBootOption,
} from '@ingot/shared/codec/ipmi/boot-options.ts';
import { type ChassisAction, chassisControl } from '@ingot/shared/codec/ipmi/chassis-control.ts';
import { type ChassisStatus, getChassisStatus } from '@ingot/shared/codec/ipmi/chassis-status.ts';
import { type Command, NOTHING } from '@ingot/shared/codec/ipmi/command.ts';
import type { Decoded } from '@ingot/shared/codec/ipmi/decoded.ts';
import { type DeviceId, getDeviceId } from '@ingot/shared/codec/ipmi/device-id.ts';
import {
  type AddressSource,
  decodeAddressSource,
  decodeIpAddress,
  decodeMacAddress,
  getLanParameter,
  LanParameter,
} from '@ingot/shared/codec/ipmi/lan-configuration.ts';
import { endpointOf, type IpmiAddress } from './address.ts';
import { BmcError } from './bmc-error.ts';
import type { CommandOptions } from './deadline.ts';

export type IpmiBootDevice = Exclude<BootFlagDevice, 'none'>;
export type PowerAction = Exclude<ChassisAction, 'diagnostic interrupt'>;

export interface BootDeviceReport {
  /** null: none is set, or one that this driver has no name for. */
  readonly device: IpmiBootDevice | null;
  /** Whether the BIOS is told to use the boot flags; some BMCs never report it. */
  readonly valid: boolean;
  readonly persistent: boolean;
  readonly uefi: boolean;
}

export interface BmcAddress {
  /** Dotted IPv4. */
  readonly ipv4: string;
  readonly source: AddressSource;
  /** Lower case with colons. */
  readonly mac: string;
}

export interface IpmiClient {
  getPowerState(options?: CommandOptions): Promise<'power on' | 'power off'>;
  /** Power with the fault bits. */
  getChassisStatus(options?: CommandOptions): Promise<ChassisStatus>;
  /**
   * `cycle`: off, then on; `soft off`: asks the operating system to shut down. A command is sent again if its answer is
   * lost, so a reset may happen twice before the deadline.
   */
  setPower(action: PowerAction, options?: CommandOptions): Promise<void>;
  getBootDevice(options?: CommandOptions): Promise<BootDeviceReport>;
  setBootDevice(
    setting: { readonly device: IpmiBootDevice; readonly persistent: boolean; readonly uefi: boolean },
    options?: CommandOptions,
  ): Promise<void>;
  getDeviceId(options?: CommandOptions): Promise<DeviceId>;
  getBmcAddress(options?: CommandOptions): Promise<BmcAddress>;
}

/** Runs one command on the BMC's session. */
export type RunCommand = <Request, Response>(
  command: Command<Request, Response>,
  request: Request,
  options?: CommandOptions,
) => Promise<Response>;

/** Completion codes for an optional boot parameter: not supported, read-only, bad length, out of range, bad field. */
const OPTIONAL_REFUSALS: readonly (number | undefined)[] = [PARAMETER_NOT_SUPPORTED, 0x82, 0xc7, 0xc9, 0xcc];

export function createIpmiClient(address: IpmiAddress, run: RunCommand): IpmiClient {
  const endpoint = endpointOf(address);

  const getStatus = (options?: CommandOptions) => run(getChassisStatus, NOTHING, options);

  async function setPower(action: PowerAction, options?: CommandOptions): Promise<void> {
    await run(chassisControl, { action }, options);
  }

  async function getBootDevice(options?: CommandOptions): Promise<BootDeviceReport> {
    const { data } = await run(getBootOption, { parameter: BootParameter.bootFlags }, options);
    const flags = read(getBootOption.name, decodeBootFlags(data));
    const device = bootFlagDevice(flags.selector);
    return {
      device: device === undefined || device === 'none' ? null : device,
      valid: flags.valid,
      persistent: flags.persistent,
      uefi: flags.uefi,
    };
  }

  /** Some BMCs do not have these parameters but use the boot flags. */
  async function setOptional(parameter: number, data: Buffer, options?: CommandOptions): Promise<void> {
    try {
      await run(setBootOption, { parameter, data }, options);
    } catch (error) {
      if (!(error instanceof BmcError && OPTIONAL_REFUSALS.includes(error.completionCode))) throw error;
    }
  }

  const setBootDevice: IpmiClient['setBootDevice'] = async ({ device, persistent, uefi }, options) => {
    if (address.disableBootTimeout) {
      const keep = Buffer.from([KEEP_WITHOUT_CHASSIS_CONTROL]);
      await setOptional(BootParameter.validClearing, keep, options);
    }
    await setOptional(BootParameter.infoAcknowledge, BIOS_HANDLED, options);
    const data = encodeBootFlags({ valid: true, persistent, uefi, selector: BOOT_DEVICE_SELECTORS[device] });
    await run(setBootOption, { parameter: BootParameter.bootFlags, data }, options);
    const kept = await getBootDevice(options);
    if (kept.device !== device) {
      const detail = `boot device ${device} was acknowledged, but the BMC reports ${kept.device ?? 'none'}`;
      const command = setBootOption.name;
      throw new BmcError({ failure: 'not obeyed', endpoint, command, detail, tries: 1 });
    }
  };

  async function getBmcAddress(options?: CommandOptions): Promise<BmcAddress> {
    const parameter = async <T>(id: number, decode: (data: Buffer) => Decoded<T>) => {
      const { data } = await run(getLanParameter, { channel: THIS_CHANNEL, parameter: id }, options);
      return read(getLanParameter.name, decode(data));
    };
    return {
      ipv4: await parameter(LanParameter.ipAddress, decodeIpAddress),
      source: await parameter(LanParameter.addressSource, decodeAddressSource),
      mac: await parameter(LanParameter.macAddress, decodeMacAddress),
    };
  }

  function read<T>(command: string, decoded: Decoded<T>): T {
    if (decoded.ok) return decoded.value;
    throw new BmcError({ failure: 'bad answer', endpoint, command, detail: decoded.reason, tries: 1 });
  }

  return {
    getPowerState: async (options) => ((await getStatus(options)).powerOn ? 'power on' : 'power off'),
    getChassisStatus: getStatus,
    setPower,
    getBootDevice,
    setBootDevice,
    getDeviceId: (options) => run(getDeviceId, NOTHING, options),
    getBmcAddress,
  };
}
