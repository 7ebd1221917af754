/**
 * Set and Get System Boot Options (IPMI 2.0 sections 28.12 and 28.13). The parameters are in table 28-14.
 *
 *   set  request   | 7 mark invalid, 6:0 parameter | data |
 *   get  request   | 6:0 parameter | set selector | block selector |
 *        response  | 3:0 version, 1 | 7 marked invalid, 6:0 parameter | data |
 */
import { type Command, NetFn, NOTHING, type Nothing, noBytes } from './command.ts';
import { good, short } from './decoded.ts';

export const BootParameter = {
  /** 0 complete, 1 in progress, 2 commit. */
  setInProgress: 0,
  /** When the BMC clears the boot flags by itself, see KEEP_WITHOUT_CHASSIS_CONTROL. */
  validClearing: 3,
  /** Write mask, then flags of those that have handled the boot information. */
  infoAcknowledge: 4,
  bootFlags: 5,
} as const;

/** validClearing, bit 3: keep the flags although no Chassis Control command came within 60 s. */
export const KEEP_WITHOUT_CHASSIS_CONTROL = 0x08;

/** infoAcknowledge, bit 0 of mask and data: "handled by the BIOS". BIOSes need it before new flags. */
export const BIOS_HANDLED = Buffer.from([0x01, 0x01]);

/** Completion code for a parameter that the BMC does not support. */
export const PARAMETER_NOT_SUPPORTED = 0x80;

export interface SetBootOption {
  readonly parameter: number;
  readonly data: Buffer;
}

export interface BootOption {
  readonly parameter: number;
  readonly invalid: boolean;
  readonly data: Buffer;
}

const completionCodes = {
  [PARAMETER_NOT_SUPPORTED]: 'parameter not supported',
  129: '"set in progress" is held by someone else',
  130: 'parameter is read-only',
};
const PARAMETER_MASK = 0x7f;
const INVALID = 0x80;
const VERSION = 1;

export const setBootOption: Command<SetBootOption, Nothing> = {
  name: 'Set System Boot Options',
  netFn: NetFn.chassis,
  code: 0x08,
  completionCodes,
  encodeRequest: ({ parameter, data }) => Buffer.concat([Buffer.from([parameter & PARAMETER_MASK]), data]),
  decodeRequest: (data) =>
    data.length < 1
      ? short('request', 1, data.length)
      : good({ parameter: data[0]! & PARAMETER_MASK, data: data.subarray(1) }),
  encodeResponse: noBytes,
  decodeResponse: () => good(NOTHING),
};

export const getBootOption: Command<{ readonly parameter: number }, BootOption> = {
  name: 'Get System Boot Options',
  netFn: NetFn.chassis,
  code: 0x09,
  completionCodes,
  encodeRequest: ({ parameter }) => Buffer.from([parameter & PARAMETER_MASK, 0, 0]),
  decodeRequest: (data) =>
    data.length < 1 ? short('request', 1, data.length) : good({ parameter: data[0]! & PARAMETER_MASK }),
  encodeResponse: ({ parameter, invalid, data }) =>
    Buffer.concat([Buffer.from([VERSION, (invalid ? INVALID : 0) | parameter]), data]),
  decodeResponse: (data) =>
    data.length < 2
      ? short('response', 2, data.length)
      : good({
          parameter: data[1]! & PARAMETER_MASK,
          invalid: (data[1]! & INVALID) !== 0,
          data: data.subarray(2),
        }),
};
