/** The texts of RMCP+ and RAKP status codes (IPMI 2.0 table 13-15), with which a BMC refuses to open a session. */
export const RmcpStatus = {
  ok: 0x00,
  insufficientResources: 0x01,
  invalidSessionId: 0x02,
  invalidAuthenticationAlgorithm: 0x04,
  invalidIntegrityAlgorithm: 0x05,
  invalidRole: 0x09,
  unauthorizedRole: 0x0a,
  unauthorizedName: 0x0d,
  invalidIntegrityCheck: 0x0f,
  invalidConfidentialityAlgorithm: 0x10,
  noMatchingCipherSuite: 0x11,
} as const;

const WORDS: readonly string[] = [
  'no errors',
  'insufficient resources to create a session',
  'invalid session ID',
  'invalid payload type',
  'invalid authentication algorithm',
  'invalid integrity algorithm',
  'no matching authentication payload',
  'no matching integrity payload',
  'inactive session ID',
  'invalid role',
  'unauthorized role or privilege level requested',
  'insufficient resources to create a session at the requested role',
  'invalid name length',
  'unauthorized name',
  'unauthorized GUID',
  'invalid integrity check value',
  'invalid confidentiality algorithm',
  'no cipher suite match with proposed security algorithms',
  'illegal or unrecognized parameter',
];

/** `status 0x0d: unauthorized name` */
export function rmcpStatusText(status: number): string {
  return `status 0x${status.toString(16).padStart(2, '0')}: ${WORDS[status] ?? 'reserved code'}`;
}
