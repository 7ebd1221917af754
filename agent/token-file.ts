/**
 * The agent token over a restart of the agent: the conductor gives it once per boot, so an agent that ended
 * and was started again by the ramdisk's init would otherwise be locked out until the machine is rebooted.
 *
 * The file lies in memory (/run) and dies with the boot, as the token does.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export async function saveToken(path: string, nodeUuid: string, token: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Whole or not at all: the agent may be ended at any moment.
  await writeFile(`${path}.new`, JSON.stringify({ nodeUuid, token }), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** null when there is none for this node. */
export async function loadToken(path: string, nodeUuid: string): Promise<string | null> {
  try {
    const saved = JSON.parse(await readFile(path, 'utf8')) as { nodeUuid?: unknown; token?: unknown };
    return saved.nodeUuid === nodeUuid && typeof saved.token === 'string' ? saved.token : null;
  } catch {
    // No file, or half of one: the token is not known.
    return null;
  }
}
