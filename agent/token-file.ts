/**
 * Keeps the agent token over a restart of the agent. The conductor gives the token once per boot, so a restarted agent
 * without it could not work until the machine is rebooted.
 *
 * The file is in memory (/run) and lasts until the reboot, as the token does.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export async function saveToken(path: string, nodeUuid: string, token: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Written to another file and renamed, because the agent may be stopped at any moment.
  await writeFile(`${path}.new`, JSON.stringify({ nodeUuid, token }), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** null if there is no token for this node. */
export async function loadToken(path: string, nodeUuid: string): Promise<string | null> {
  try {
    const saved = JSON.parse(await readFile(path, 'utf8')) as { nodeUuid?: unknown; token?: unknown };
    return saved.nodeUuid === nodeUuid && typeof saved.token === 'string' ? saved.token : null;
  } catch {
    // There is no file, or it is incomplete.
    return null;
  }
}
