import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRefusals } from './refusals.ts';

const HOUR_MS = 3_600_000;
let dir: string;
let nowMs: number;
const open = () => openRefusals(dir, () => nowMs);

beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'ingot-refusals-')), 'refused');
  nowMs = 1_000 * HOUR_MS;
});
afterEach(() => rmSync(join(dir, '..'), { recursive: true }));

it('are remembered for a day, also by the next conductor', async () => {
  expect(await open().reasonFor('a')).toBeUndefined();
  await open().remember('a', 'it is damaged');
  nowMs += 23 * HOUR_MS;
  expect(await open().reasonFor('a')).toBe('it is damaged');
  expect(await open().reasonFor('b')).toBeUndefined();
  nowMs += HOUR_MS;
  expect(await open().reasonFor('a')).toBeUndefined();
});

it('with damaged files do not count', async () => {
  await open().remember('a', 'it is damaged');
  const [name] = readdirSync(dir);
  writeFileSync(join(dir, name!), '{"reas');
  expect(await open().reasonFor('a')).toBeUndefined();
});

it('are at most 1,000', async () => {
  const refusals = open();
  for (let i = 0; i < 1_003; i += 1) await refusals.remember(`image ${i}`, 'no');
  expect(readdirSync(dir)).toHaveLength(1_000);
  expect(await refusals.reasonFor('image 1002')).toBe('no');
});
