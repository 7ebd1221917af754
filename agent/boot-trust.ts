/**
 * What this agent knows of the conductor that booted it, from the kernel command line (shared/agent/kernel-params.ts).
 */
import { PIN } from '@ingot/shared/tls/public-key-pin.ts';
import type { TlsIdentity } from '@ingot/shared/tls/self-signed.ts';
import type { AgentConfig } from './config.ts';

export interface BootTrust {
  /** `https://192.0.2.1:8090`. */
  readonly apiUrl: string;
  /** The pin of the conductor's public key. */
  readonly pin: string;
  readonly nodeUuid: string;
  readonly bootSecret: string;
}

/** With the key and the certificate of this boot. */
export interface BootIdentity extends BootTrust {
  readonly identity: TlsIdentity;
}

/**
 * null without a pin: then the agent uses ironic-python-agent's protocol. Throws if there is a pin and something else is
 * missing, because an agent that fell back to that protocol could be talked to by anybody.
 */
export function bootTrustOf(
  config: Pick<AgentConfig, 'pin' | 'trustedApiUrl' | 'nodeUuid' | 'bootSecret'>,
): BootTrust | null {
  const { pin, trustedApiUrl: apiUrl, nodeUuid, bootSecret } = config;
  if (pin === null) return null;
  if (!PIN.test(pin)) throw new Error('ingot.pin on the kernel command line is not the pin of a public key');
  if (apiUrl === null || URL.parse(apiUrl)?.protocol !== 'https:')
    throw new Error('ingot.pin is on the kernel command line, but ingot.api-url is not an https URL');
  if (nodeUuid === null || bootSecret === null)
    throw new Error('ingot.pin is on the kernel command line, but ingot.node or ingot.boot-secret is not');
  return { apiUrl: apiUrl.replace(/\/+$/, ''), pin, nodeUuid, bootSecret };
}
