/**
 * Chassis Control (IPMI 2.0 section 28.3): switches the power of the machine. The answer confirms that the BMC accepted
 * the command, not that the power has changed.
 *
 *   request   | action, 3:0 |
 */
import { type Command, NetFn, NOTHING, type Nothing, noBytes } from './command.ts';
import { bad, good, short } from './decoded.ts';

const CHASSIS_ACTIONS = {
  off: 0,
  on: 1,
  cycle: 2,
  reset: 3,
  'diagnostic interrupt': 4,
  /** Asks the operating system to shut down through ACPI. */
  'soft off': 5,
} as const;

export type ChassisAction = keyof typeof CHASSIS_ACTIONS;

const ACTIONS = Object.entries(CHASSIS_ACTIONS) as readonly [ChassisAction, number][];

export const chassisControl: Command<{ readonly action: ChassisAction }, Nothing> = {
  name: 'Chassis Control',
  netFn: NetFn.chassis,
  code: 0x02,
  encodeRequest: ({ action }) => Buffer.from([CHASSIS_ACTIONS[action]]),
  decodeRequest: (data) => {
    if (data.length < 1) return short('request', 1, data.length);
    const found = ACTIONS.find(([, code]) => code === (data[0]! & 0x0f));
    return found ? good({ action: found[0] }) : bad(`chassis control ${data[0]! & 0x0f} is reserved`);
  },
  encodeResponse: noBytes,
  decodeResponse: () => good(NOTHING),
};
