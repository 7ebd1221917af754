/**
 * The key with which the conductor identifies itself to agents. Its pin is on the kernel command line of every ramdisk,
 * so the key is kept in the data directory: an agent that runs now knows the conductor after a restart.
 */
import { join } from 'node:path';
import { pinOfKey } from '@ingot/shared/tls/public-key-pin.ts';
import { newPrivateKey, selfSigned, type TlsIdentity } from '@ingot/shared/tls/self-signed.ts';
import { noOwnKey, type OwnKey, readOwnKey } from '../own-key/own-key.ts';

export interface AgentTls extends TlsIdentity {
  readonly pin: string;
}

/** Throws when the file contains no key, or when other users can read it: they could give commands to agents. */
export function readAgentTls(dataDir: string): AgentTls {
  const own: OwnKey = {
    path: join(dataDir, 'agent-tls.key'),
    make: newPrivateKey,
    loss: 'Agents that run now stop talking to the conductor',
  };
  const key = readOwnKey(own).toString();
  try {
    return { ...selfSigned('ingot-conductor', key), pin: pinOfKey(key) };
  } catch (cause) {
    throw noOwnKey(own, 'an EC private key in PEM', cause);
  }
}
