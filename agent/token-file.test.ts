import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadToken, saveToken } from './token-file.ts';

function path(): string {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-token-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return join(dir, 'agent', 'token');
}

it('keeps the token of a node, for its owner only', async () => {
  const file = path();
  await saveToken(file, 'node', 'first');
  await saveToken(file, 'node', 'second');
  expect(await loadToken(file, 'node')).toBe('second');
  expect(await loadToken(file, 'another')).toBeNull();
  expect(readdirSync(dirname(file))).toEqual(['token']);
  expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
});

it.each(['', '{', 'null', '{"nodeUuid":"node"}', '{"nodeUuid":"node","token":7}'])(
  'has no token when the file holds %j',
  async (text) => {
    const file = path();
    await saveToken(file, 'node', 'token');
    writeFileSync(file, text);
    expect(await loadToken(file, 'node')).toBeNull();
  },
);

it('has no token without a file', async () => {
  expect(await loadToken(path(), 'node')).toBeNull();
});
