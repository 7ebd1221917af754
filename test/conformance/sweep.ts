/**
 * Deletes everything on a server through its API, between two groups.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ORACLE_MINOR } from './request.ts';

/** In this order, because later ones are used by earlier ones. */
const COLLECTIONS = [
  { path: 'nodes', key: 'nodes', id: 'uuid' },
  { path: 'allocations', key: 'allocations', id: 'uuid' },
  { path: 'chassis', key: 'chassis', id: 'uuid' },
  { path: 'deploy_templates', key: 'deploy_templates', id: 'uuid' },
] as const;

const DELETE_TIMEOUT_MS = 15_000;
const headers = {
  'x-openstack-ironic-api-version': `1.${ORACLE_MINOR}`,
  'content-type': 'application/json',
};

export async function sweep(baseUrl: string): Promise<void> {
  for (const { path, key, id } of COLLECTIONS) {
    const url = `${baseUrl}/v1/${path}`;
    const list = await fetch(url, { headers });
    if (list.status === 404) continue;
    const items = ((await list.json()) as Record<string, Record<string, string>[]>)[key] ?? [];
    for (const item of items) await remove(`${url}/${item[id]}`, path === 'nodes');
  }
}

/** A node in any state can be deleted if it is in maintenance and not protected. */
async function remove(url: string, isNode: boolean): Promise<void> {
  const deadline = Date.now() + DELETE_TIMEOUT_MS;
  while (true) {
    if (isNode) {
      await fetch(`${url}/maintenance`, { method: 'PUT', headers, body: '{}' });
      const body = JSON.stringify([{ op: 'replace', path: '/protected', value: false }]);
      await fetch(url, { method: 'PATCH', headers, body });
    }
    const { 'content-type': _, ...bare } = headers;
    const answer = await fetch(url, { method: 'DELETE', headers: bare });
    if (answer.status === 204 || answer.status === 404) return;
    if (Date.now() > deadline) throw new Error(`DELETE ${url}: ${answer.status} ${await answer.text()}`);
    await sleep(200);
  }
}
