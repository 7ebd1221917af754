/**
 * The key with which the conductor identifies itself to agents. Its pin is on the kernel command line of every ramdisk,
 * so the key is kept in the data directory: an agent that runs now knows the conductor after a restart.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pinOfKey } from '@ingot/shared/tls/public-key-pin.ts';
import { newPrivateKey, selfSigned, type TlsIdentity } from '@ingot/shared/tls/self-signed.ts';

export interface AgentTls extends TlsIdentity {
  readonly pin: string;
}

const FILE = 'agent-tls.key';
const OTHERS = 0o077;

/** Throws when the file contains no key, or when other users can read it: they could give commands to agents. */
export function readAgentTls(dataDir: string): AgentTls {
  const path = join(dataDir, FILE);
  makeKey(path);
  if ((statSync(path).mode & OTHERS) !== 0) {
    throw new Error(
      `${path} can be read by other users: delete it, and the conductor makes a new key. Agents that run now stop talking to the conductor`,
    );
  }
  const key = readFileSync(path, 'utf8');
  try {
    return { ...selfSigned('ingot-conductor', key), pin: pinOfKey(key) };
  } catch (cause) {
    throw new Error(
      `${path} does not contain an EC private key in PEM: delete it, and the conductor makes a new one`,
      { cause },
    );
  }
}

function makeKey(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(path, newPrivateKey(), { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
