/**
 * Keeps the agent's key and certificate over a restart of the agent. The conductor binds the certificate at the first
 * lookup, so a restarted agent with another one would be a stranger until the machine is rebooted.
 *
 * The file is in memory (/run) and lasts until the reboot, as the boot secret does.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newPrivateKey, selfSigned, type TlsIdentity } from '@ingot/shared/tls/self-signed.ts';

/** Reads the identity of this boot, or makes and stores it. */
export async function identityOfBoot(path: string): Promise<TlsIdentity> {
  const saved = await load(path);
  if (saved !== null) return saved;
  const identity = selfSigned('ingot-agent', newPrivateKey());
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Written to another file and renamed, because the agent may be stopped at any moment.
  await writeFile(`${path}.new`, JSON.stringify(identity), { mode: 0o600 });
  await rename(`${path}.new`, path);
  return identity;
}

async function load(path: string): Promise<TlsIdentity | null> {
  try {
    const { key, certificate } = JSON.parse(await readFile(path, 'utf8')) as Partial<TlsIdentity>;
    return typeof key === 'string' && typeof certificate === 'string' ? { key, certificate } : null;
  } catch {
    // There is no file, or it is incomplete.
    return null;
  }
}
