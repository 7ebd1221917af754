import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createKeyFile, newKey, readKeyFile, replaceKeyFile } from './key-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'ingot-keys-'));
afterAll(() => rmSync(directory, { recursive: true }));
let count = 0;
const newPath = () => {
  count += 1;
  return join(directory, String(count), 'secrets.key');
};

it('is created once, for its owner only', () => {
  const path = newPath();
  expect(readKeyFile(path)).toBeUndefined();
  const [key] = createKeyFile(path);
  expect(key?.bytes).toHaveLength(32);
  expect(createKeyFile(path)).toEqual([key]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(path))).toEqual(['secrets.key']);
});

it('has several keys while they are changed', () => {
  const path = newPath();
  const old = createKeyFile(path);
  const keys = [newKey(), ...old];
  replaceKeyFile(path, keys);
  expect(readKeyFile(path)).toEqual(keys);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(existsSync(`${path}.new`)).toBe(false);
});

it.each([
  ['nothing', ''],
  ['no key', '# a remark\n'],
  ['half a key', '0123abcd AAAA\n'],
  ['something else', '-----BEGIN PRIVATE KEY-----\n'],
])('with %s in it is refused', (_, text) => {
  const path = newPath();
  createKeyFile(path);
  writeFileSync(path, text);
  expect(() => readKeyFile(path)).toThrow(
    /The key file .*secrets\.key \(secrets\.key_file\) has (no|a line)/,
  );
});

it('is refused when others can read it', () => {
  const path = newPath();
  createKeyFile(path);
  chmodSync(path, 0o640);
  expect(() => readKeyFile(path)).toThrow('can be read by other users. Run "chmod 600" on it');
});
