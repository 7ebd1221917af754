/** OpenSSH reads the keys that we generate. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateSshKeyPair } from './ssh-key-pair.ts';
import { md5Fingerprint, parsePublicKey } from './ssh-public-key.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ssh-key-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const keygen = (...args: string[]): string => execFileSync('ssh-keygen', args, { encoding: 'utf8' }).trim();

describe('ssh-keygen', () => {
  it('finds our public key in our private key', async () => {
    const { publicKey, privateKey, blob } = await generateSshKeyPair('Generated-by-Nova');
    const file = join(directory, 'ours');
    writeFileSync(file, privateKey, { mode: 0o600 });
    expect(keygen('-y', '-f', file)).toBe(publicKey);
    expect(keygen('-l', '-E', 'md5', '-f', file)).toContain(`MD5:${md5Fingerprint(blob)} `);
  });

  it.each([
    ['rsa', '2048'],
    ['ecdsa', '256'],
    ['ecdsa', '384'],
    ['ecdsa', '521'],
    ['ed25519', '256'],
  ])('makes keys that we read: %s %s', (type, bits) => {
    const file = join(directory, `${type}-${bits}`);
    keygen('-q', '-t', type, '-b', bits, '-N', '', '-C', 'a comment', '-f', file);
    const publicKey = readFileSync(`${file}.pub`, 'utf8');
    const parsed = parsePublicKey(publicKey);
    if (!parsed.ok) throw new Error(parsed.reason);
    expect(keygen('-l', '-E', 'md5', '-f', `${file}.pub`)).toContain(`MD5:${md5Fingerprint(parsed.blob)} `);
  });
});
