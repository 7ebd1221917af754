import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PIN } from '@ingot/shared/tls/public-key-pin.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readAgentTls } from './agent-tls.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-agent-tls-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('makes a key that only the owner can read, and keeps it', () => {
  const first = readAgentTls(join(dir, 'data'));
  expect(first.pin).toMatch(PIN);
  const path = join(dir, 'data', 'agent-tls.key');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).toBe(first.key);
  expect(readAgentTls(join(dir, 'data')).pin).toBe(first.pin);
});

it('refuses a key that others can read', () => {
  readAgentTls(dir);
  chmodSync(join(dir, 'agent-tls.key'), 0o640);
  expect(() => readAgentTls(dir)).toThrow('can be read by other users');
});

it('refuses a file without a key', () => {
  writeFileSync(join(dir, 'agent-tls.key'), 'nothing', { mode: 0o600 });
  expect(() => readAgentTls(dir)).toThrow('does not contain an EC private key');
});
