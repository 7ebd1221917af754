/** A web page of somebody else makes an operator's browser call an API without authentication. */
import { expect, it } from 'vitest';
import { startAttackedConductor } from './attacked-conductor.ts';

const FOREIGN = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'http://127.0.0.1:3000' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
];

it('refuses the requests of a foreign page; our own pages and clients work', async () => {
  await using conductor = await startAttackedConductor({ compute: true, loopback: true });
  const body = { driver: 'fake-hardware', name: 'evil' };
  for (const headers of FOREIGN) {
    const post = await conductor.api('POST', '/v1/nodes', { headers, body });
    expect([headers, post.status]).toEqual([headers, 403]);
    expect((await conductor.api('GET', '/v1/nodes', { headers })).status).toBe(403);
    const image = await conductor.facade('POST', '/image/v2/images', { headers, body: { name: 'evil' } });
    expect([headers, image.status]).toEqual([headers, 403]);
    expect(
      (await conductor.provisioning('GET', '/v1/lookup?addresses=52:54:00:00:00:01', { headers })).status,
    ).toBe(403);
  }
  expect((await conductor.api('GET', '/v1/nodes')).body.nodes).toEqual([]);

  const own = { 'sec-fetch-site': 'same-origin', origin: conductor.apiUrl };
  expect((await conductor.api('POST', '/v1/nodes', { headers: own, body })).status).toBe(201);
  const old = { origin: conductor.apiUrl };
  expect((await conductor.api('GET', '/v1/nodes', { headers: old })).status).toBe(200);
  for (const path of ['/ingot/v1/docs', '/ingot/v1/openapi.json']) {
    const typed = await conductor.api('GET', path, {
      headers: { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
    });
    expect([path, typed.status]).toEqual([path, 200]);
  }
}, 60_000);
