import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { deployingNode } from '../../test/fakes/deploying-node.ts';
import { registerImages } from './routes.ts';

const directory = mkdtempSync(join(tmpdir(), 'ingot-image-routes-'));
afterAll(() => rmSync(directory, { recursive: true }));
for (const form of ['raw', 'zst']) writeFileSync(join(directory, form), `${form} data`);

const release = vi.fn();
beforeEach(() => release.mockClear());

const node = deployingNode();
const query = (ticket = 'valid', uuid = node.uuid): string => `?node=${uuid}&ticket=${ticket}`;

function get(path: string) {
  const app = fastify();
  const cache: Parameters<typeof registerImages>[1] = {
    serve: async (id, form) => (id === 'known' ? { path: join(directory, form), release } : undefined),
    admits: (asking, _, ticket) => asking === node && ticket === 'valid',
  };
  registerImages(app, cache, { find: async (uuid) => (uuid === node.uuid ? node : undefined) });
  return app.inject(path);
}

it.each(['raw', 'zst'])('an image is served as %s, and released once it is sent', async (form) => {
  const answer = await get(`/images/known/${form}${query()}`);
  expect([answer.statusCode, answer.body]).toEqual([200, `${form} data`]);
  await vi.waitFor(() => expect(release).toHaveBeenCalledTimes(1), { interval: 1, timeout: 10_000 });
});

it.each([
  `/images/other/raw${query()}`,
  `/images/known/qcow2${query()}`,
  '/images/known/raw',
  '/images/known/raw?ticket=valid',
  `/images/known/raw?node=${node.uuid}`,
  `/images/known/raw${query('other')}`,
  `/images/known/raw${query('valid', 'no-uuid')}`,
  `/images/known/raw${query('valid', '11111111-2222-4333-8444-555555555555')}`,
  `/images/known/raw${query()}&ticket=valid`,
])('%s is not there', async (path) => {
  expect((await get(path)).statusCode).toBe(404);
  expect(release).not.toHaveBeenCalled();
});
