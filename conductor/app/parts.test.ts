import { expect, it } from 'vitest';
import { runningApp } from './parts.ts';

function recorded(...names: string[]) {
  const seen: string[] = [];
  const parts = names.map((name) => ({
    start: async () => void seen.push(`start ${name}`),
    stop: async () => void seen.push(`stop ${name}`),
  }));
  return { seen, parts };
}

it('starts parts in order and stops them in the reverse one', async () => {
  const { seen, parts } = recorded('store', 'engine', 'api');
  const app = runningApp([parts[0]!, {}, parts[1]!, parts[2]!]);
  await app.start();
  await app.stop();
  expect(seen).toEqual(['start store', 'start engine', 'start api', 'stop api', 'stop engine', 'stop store']);
});

it('starts nothing after a part that fails to start, and stops all', async () => {
  const { seen, parts } = recorded('store', 'api');
  const failing = { start: async () => Promise.reject(new Error('in use')) };
  const app = runningApp([parts[0]!, failing, parts[1]!]);
  await expect(app.start()).rejects.toThrow('in use');
  await app.stop();
  expect(seen).toEqual(['start store', 'stop api', 'stop store']);
});
