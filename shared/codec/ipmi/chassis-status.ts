/**
 * Get Chassis Status (IPMI 2.0 section 28.2): power state and faults of the machine.
 *
 *   response  | power | last event | chassis | front panel? |
 *
 * power:      6:5 policy after a power loss, 4 control fault, 3 fault, 2 interlock, 1 overload, 0 on
 * last event: 4 switched on by IPMI, 3 fault, 2 interlock, 1 overload, 0 AC lost
 * chassis:    6 identify supported, 5:4 identify state, 3 fan fault, 2 drive fault, 1 panel locked, 0 intrusion
 */
import { type Command, ignoreBytes, NetFn, type Nothing, noBytes } from './command.ts';
import { good, short } from './decoded.ts';

const RESTORE_POLICIES = ['stay off', 'last state', 'power up', 'unknown'] as const;

export interface ChassisStatus {
  readonly powerOn: boolean;
  readonly powerOverload: boolean;
  readonly powerInterlock: boolean;
  readonly powerFault: boolean;
  /** The BMC tried to switch the power without success. */
  readonly powerControlFault: boolean;
  readonly restorePolicy: (typeof RESTORE_POLICIES)[number];
  /** As on the wire. */
  readonly lastPowerEvent: number;
  readonly chassis: number;
}

const RESPONSE_BYTES = 3;

export const getChassisStatus: Command<Nothing, ChassisStatus> = {
  name: 'Get Chassis Status',
  netFn: NetFn.chassis,
  code: 0x01,
  encodeRequest: noBytes,
  decodeRequest: ignoreBytes,
  encodeResponse: (s) => {
    const power =
      (RESTORE_POLICIES.indexOf(s.restorePolicy) << 5) |
      (s.powerControlFault ? 0x10 : 0) |
      (s.powerFault ? 0x08 : 0) |
      (s.powerInterlock ? 0x04 : 0) |
      (s.powerOverload ? 0x02 : 0) |
      (s.powerOn ? 0x01 : 0);
    return Buffer.from([power, s.lastPowerEvent, s.chassis]);
  },
  decodeResponse: (data) => {
    if (data.length < RESPONSE_BYTES) return short('response', RESPONSE_BYTES, data.length);
    const power = data[0]!;
    return good({
      powerOn: (power & 0x01) !== 0,
      powerOverload: (power & 0x02) !== 0,
      powerInterlock: (power & 0x04) !== 0,
      powerFault: (power & 0x08) !== 0,
      powerControlFault: (power & 0x10) !== 0,
      restorePolicy: RESTORE_POLICIES[(power >> 5) & 3]!,
      lastPowerEvent: data[1]!,
      chassis: data[2]!,
    });
  },
};
