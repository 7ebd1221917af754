/**
 * The texts of completion codes (IPMI 2.0 table 5-2).
 *
 * 0x00 is success; 0x01-0x7e belong to OEMs, 0x80-0xbe to the command that answers.
 */
const GENERIC: Readonly<Record<number, string>> = {
  0: 'completed normally',
  192: 'node busy',
  193: 'invalid or unsupported command',
  194: 'command invalid for this LUN',
  195: 'time-out while processing the command',
  196: 'out of space',
  197: 'reservation cancelled or invalid',
  198: 'request data truncated',
  199: 'request data length invalid',
  200: 'request data field length limit exceeded',
  201: 'parameter out of range',
  202: 'cannot return the requested number of bytes',
  203: 'requested sensor, data or record not present',
  204: 'invalid data field in request',
  205: 'command illegal for this sensor or record type',
  206: 'response could not be provided',
  207: 'cannot execute a duplicated request',
  208: 'response not provided: SDR repository in update mode',
  209: 'response not provided: device in firmware update mode',
  210: 'response not provided: BMC is initialising',
  211: 'destination unavailable',
  212: 'insufficient privilege level, or refused by the firmware firewall',
  213: 'command or request not supported in the present state',
  214: 'sub-function disabled or unavailable',
  255: 'unspecified error',
};

export const COMPLETED = 0x00;

/** Transient codes: the same request may succeed when it is sent again. */
const TRANSIENT: ReadonlySet<number> = new Set([0xc0, 0xc3, 0xc4, 0xce, 0xcf, 0xd1, 0xd2]);

export const isTransient = (code: number): boolean => TRANSIENT.has(code);

/** `0xd4: insufficient privilege level, ...`; `own` are the codes of the command that answered. */
export function completionCodeText(code: number, own: Readonly<Record<number, string>> = {}): string {
  return `0x${code.toString(16).padStart(2, '0')}: ${own[code] ?? GENERIC[code] ?? family(code)}`;
}

function family(code: number): string {
  if (code >= 0x01 && code <= 0x7e) return 'device-specific (OEM) code';
  if (code >= 0x80 && code <= 0xbe) return 'command-specific code';
  return 'reserved code';
}
