import { expect, it } from 'vitest';
import { newKeys } from './new-key-pair.ts';
import { md5Fingerprint, parsePublicKey } from './ssh-public-key.ts';

it('imports a public key without a private one', async () => {
  const { publicKey } = await newKeys('ssh', undefined);
  const imported = await newKeys('ssh', `${publicKey}\n`);
  expect(imported).toEqual({ type: 'ssh', publicKey, fingerprint: expect.any(String) });
});

it('generates an SSH key pair with the fingerprint of its public key', async () => {
  const { type, publicKey, fingerprint, privateKey } = await newKeys('ssh', undefined);
  const parsed = parsePublicKey(publicKey);
  expect([type, fingerprint]).toEqual(['ssh', parsed.ok && md5Fingerprint(parsed.blob)]);
  expect(publicKey).toMatch(/ Generated-by-Nova$/);
  expect(privateKey).toContain('BEGIN OPENSSH PRIVATE KEY');
});

it.each([
  ['ssh', 'ssh-dss AAAA', 'it does not begin with a known type of key'],
  ['x509', 'ssh-ed25519 AAAA', 'it is not one certificate in PEM'],
  ['x509', undefined, 'certificates are not made here'],
] as const)('refuses type %s with the public key %j', async (type, given, message) => {
  await expect(newKeys(type, given)).rejects.toMatchObject({
    code: 'invalidParameter',
    message: expect.stringContaining(message),
  });
});
