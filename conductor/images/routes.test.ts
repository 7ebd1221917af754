import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { registerImages } from './routes.ts';

const directory = mkdtempSync(join(tmpdir(), 'ingot-image-routes-'));
afterAll(() => rmSync(directory, { recursive: true }));
for (const form of ['raw', 'zst']) writeFileSync(join(directory, form), `${form} data`);

const release = vi.fn();
beforeEach(() => release.mockClear());

function get(path: string) {
  const app = fastify();
  registerImages(app, {
    serve: async (id, form) => (id === 'known' ? { path: join(directory, form), release } : undefined),
  });
  return app.inject(path);
}

it.each(['raw', 'zst'])('an image is served as %s, and released once it is sent', async (form) => {
  const answer = await get(`/images/known/${form}`);
  expect([answer.statusCode, answer.body]).toEqual([200, `${form} data`]);
  await vi.waitFor(() => expect(release).toHaveBeenCalledTimes(1), { interval: 1, timeout: 10_000 });
});

it.each(['/images/other/raw', '/images/known/qcow2'])('%s is not there', async (path) => {
  expect((await get(path)).statusCode).toBe(404);
  expect(release).not.toHaveBeenCalled();
});
