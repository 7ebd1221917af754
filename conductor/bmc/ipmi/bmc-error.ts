/** Why a command to a BMC failed, and what the operator can do about it. */
import { IngotError } from '../../domain/errors.ts';

/** Kind of failure -> advice. */
const BMC_FAILURES = {
  'name not resolved': 'check driver_info.ipmi_address and the name server',
  'no answer':
    'check driver_info.ipmi_address and ipmi_port, the network to the BMC, and that IPMI over LAN is enabled',
  'port closed': 'check driver_info.ipmi_address and ipmi_port, and that IPMI over LAN is enabled on the BMC',
  'cannot send': 'check the route to the BMC and driver_info.ipmi_local_address',
  'unknown user': 'check driver_info.ipmi_username',
  'wrong password':
    'check driver_info.ipmi_password (and ipmi_username: some BMCs do not report that a user is unknown)',
  'wrong K_g': 'check driver_info.ipmi_hex_kg_key',
  'privilege refused': "check driver_info.ipmi_priv_level against the user's privilege on the BMC",
  'cipher suite refused':
    'set driver_info.ipmi_cipher_suite to a suite that the BMC allows (3 and 17 are known here)',
  'weaker cipher suite':
    'this BMC has used a stronger suite before, so somebody on the network may be in between. If the BMC was replaced or its settings were changed, set driver_info.ipmi_cipher_suite to the suite to use',
  'no RMCP+': 'the BMC offers only IPMI 1.5; update its firmware or use another driver',
  'no session left': 'close sessions held by other programs, or reset the BMC',
  'session refused': 'try again; if the failure persists, reset the BMC',
  'command refused': 'see the completion code; the BMC or its user may not be allowed this command',
  'not obeyed': 'the BMC accepted the command and did not carry it out; update or reset the BMC',
  'bad answer': 'the answer violates the IPMI specification; update the firmware of the BMC',
} as const satisfies Readonly<Record<string, string>>;

export type BmcFailure = keyof typeof BMC_FAILURES;

export interface BmcErrorFields {
  readonly failure: BmcFailure;
  /** `10.0.0.5:623` */
  readonly endpoint: string;
  /** The command's name in the specification: `Chassis Control`. */
  readonly command: string;
  /** What happened: `RAKP 2 status 0x0d: unauthorized name`. Never contains a secret. */
  readonly detail: string;
  /** Datagrams sent for this command, including those that opened the session. */
  readonly tries: number;
  readonly completionCode?: number;
}

export class BmcError extends IngotError {
  readonly failure: BmcFailure;
  readonly endpoint: string;
  readonly command: string;
  readonly tries: number;
  readonly completionCode: number | undefined;

  constructor(fields: BmcErrorFields, options?: ErrorOptions) {
    super('bmcFailure', textOf(fields), options);
    this.name = 'BmcError';
    this.failure = fields.failure;
    this.endpoint = fields.endpoint;
    this.command = fields.command;
    this.tries = fields.tries;
    this.completionCode = fields.completionCode;
  }
}

function textOf({ failure, endpoint, command, detail, tries }: BmcErrorFields): string {
  const sent = tries === 1 ? '1 try' : `${tries} tries`;
  return `BMC ${endpoint}: ${command} failed, ${failure} (${detail}) after ${sent}; ${BMC_FAILURES[failure]}`;
}
