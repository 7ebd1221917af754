/** The machine behind a fake BMC and the commands for it: request data in, completion code and data out. */
import { getAuthenticationCapabilities } from '@ingot/shared/codec/ipmi/authentication-capabilities.ts';
import {
  BOOT_FLAGS_BYTES,
  type BootFlags,
  decodeBootFlags,
  encodeBootFlags,
} from '@ingot/shared/codec/ipmi/boot-flags.ts';
import { BootParameter, getBootOption, setBootOption } from '@ingot/shared/codec/ipmi/boot-options.ts';
import { type ChassisAction, chassisControl } from '@ingot/shared/codec/ipmi/chassis-control.ts';
import { getChassisStatus } from '@ingot/shared/codec/ipmi/chassis-status.ts';
import { type Command, NOTHING } from '@ingot/shared/codec/ipmi/command.ts';
import { type DeviceId, getDeviceId } from '@ingot/shared/codec/ipmi/device-id.ts';
import { getLanParameter, LanParameter } from '@ingot/shared/codec/ipmi/lan-configuration.ts';
import type { BmcFaults } from './faults.ts';

export interface FakeMachine {
  powerOn: boolean;
  bootFlags: BootFlags;
  /** Parameter 3 as last set: whether the boot flags expire after 60 s. */
  validClearing: number;
  readonly deviceId: DeviceId;
  readonly onPower?: ((action: ChassisAction) => void) | undefined;
  readonly onBootDevice?: ((flags: BootFlags) => void) | undefined;
}

export interface CommandAnswer {
  readonly completionCode: number;
  readonly data: Buffer;
}

export type MachineCommand = (data: Buffer) => CommandAnswer;

export const DEVICE_ID: DeviceId = {
  deviceId: 0x20,
  deviceRevision: 1,
  providesSdrs: false,
  updating: false,
  firmwareVersion: '1.07',
  ipmiVersion: '2.0',
  support: 0x80,
  manufacturerId: 0x1291,
  productId: 0x0f02,
};

const REQUEST_LENGTH_INVALID = 0xc7;
const INVALID_FIELD = 0xcc;
const PARAMETER_NOT_SUPPORTED = 0x80;

const refused = (completionCode: number): CommandAnswer => ({ completionCode, data: Buffer.alloc(0) });

/** Privilege levels that commands need (IPMI 2.0 appendix G); 0 is allowed outside a session. */
export const NEEDED_PRIVILEGE: Readonly<Record<string, number>> = {
  [keyOf(getAuthenticationCapabilities)]: 0,
  [keyOf(getDeviceId)]: 2,
  [keyOf(getChassisStatus)]: 2,
  [keyOf(chassisControl)]: 3,
  [keyOf(setBootOption)]: 3,
  [keyOf(getBootOption)]: 3,
  [keyOf(getLanParameter)]: 3,
};

/** Commands by keyOf(); for others the answer is 0xc1. */
export function machineCommands(
  machine: FakeMachine,
  faults: BmcFaults,
): ReadonlyMap<string, MachineCommand> {
  const commands = new Map<string, MachineCommand>();
  const answer = <Request, Response>(
    command: Command<Request, Response>,
    respond: (request: Request) => Response | CommandAnswer,
  ) => {
    commands.set(keyOf(command), (data) => {
      const request = command.decodeRequest(data);
      if (!request.ok) return refused(data.length === 0 ? REQUEST_LENGTH_INVALID : INVALID_FIELD);
      const response = respond(request.value);
      return isAnswer(response) ? response : { completionCode: 0, data: command.encodeResponse(response) };
    });
  };

  answer(getAuthenticationCapabilities, () => AUTHENTICATION_CAPABILITIES);
  answer(getDeviceId, () => machine.deviceId);
  answer(getChassisStatus, () => ({
    powerOn: machine.powerOn,
    powerOverload: false,
    powerInterlock: false,
    powerFault: false,
    powerControlFault: false,
    restorePolicy: 'last state',
    lastPowerEvent: 0,
    chassis: 0,
  }));
  answer(chassisControl, ({ action }) => {
    if (!faults.ignoresPower) {
      const before = machine.powerOn;
      machine.powerOn = POWER_AFTER[action] ?? before;
      machine.onPower?.(action);
    }
    return NOTHING;
  });
  answer(setBootOption, ({ parameter, data }) => {
    if (parameter === BootParameter.bootFlags) {
      const flags = decodeBootFlags(data);
      if (!flags.ok || data.length < BOOT_FLAGS_BYTES) return refused(REQUEST_LENGTH_INVALID);
      if (!faults.ignoresBootDevice) {
        machine.bootFlags = flags.value;
        machine.onBootDevice?.(flags.value);
      }
    } else if (parameter === BootParameter.validClearing) {
      machine.validClearing = data[0] ?? 0;
    } else if (parameter !== BootParameter.infoAcknowledge && parameter !== BootParameter.setInProgress) {
      return refused(PARAMETER_NOT_SUPPORTED);
    }
    return NOTHING;
  });
  answer(getBootOption, ({ parameter }) =>
    parameter === BootParameter.bootFlags
      ? { parameter, invalid: false, data: encodeBootFlags(machine.bootFlags) }
      : refused(PARAMETER_NOT_SUPPORTED),
  );
  answer(getLanParameter, ({ parameter }) => {
    const data = LAN_PARAMETERS[parameter];
    return data === undefined ? refused(PARAMETER_NOT_SUPPORTED) : { revision: 0x11, data };
  });
  return commands;
}

const POWER_AFTER: Readonly<Partial<Record<ChassisAction, boolean>>> = {
  on: true,
  off: false,
  cycle: true,
  reset: true,
  'soft off': false,
};

const AUTHENTICATION_CAPABILITIES = {
  channel: 1,
  rmcpPlus: true,
  v15: false,
  kgSet: false,
  namedUsers: true,
  nullUsernames: false,
  anonymousLogin: false,
};

const LAN_PARAMETERS: Readonly<Record<number, Buffer>> = {
  [LanParameter.ipAddress]: Buffer.from([10, 0, 0, 5]),
  [LanParameter.addressSource]: Buffer.from([2]),
  [LanParameter.macAddress]: Buffer.from('5254000a0005', 'hex'),
};

export function keyOf({ netFn, code }: { readonly netFn: number; readonly code: number }): string {
  return `${netFn}:${code}`;
}

const isAnswer = (value: unknown): value is CommandAnswer =>
  typeof value === 'object' && value !== null && 'completionCode' in value;
