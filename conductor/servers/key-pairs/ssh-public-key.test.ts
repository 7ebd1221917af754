import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { generateSshKeyPair } from './ssh-key-pair.ts';
import { md5Fingerprint, parsePublicKey } from './ssh-public-key.ts';

/** Made by ssh-keygen, which gave its fingerprint too. */
const ED25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAlzXj8GlLuQusI4KyiMbtu/DXkxXpF753lTCOdtKpWm anna@desk';
const ED25519_MD5 = '62:bd:34:d1:a1:f4:f4:62:b0:09:97:ee:ba:18:78:98';

describe('a public key', () => {
  it('is read field by field', () => {
    const parsed = parsePublicKey(`  ${ED25519}\n`);
    expect(parsed).toMatchObject({ ok: true, line: ED25519 });
    expect(parsed.ok && md5Fingerprint(parsed.blob)).toBe(ED25519_MD5);
  });

  const [type, encoded] = ED25519.split(' ') as [string, string];
  const short = generateKeyPairSync('rsa', { modulusLength: 512 }).publicKey.export({ format: 'jwk' });
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const rsa = Buffer.concat(
    [Buffer.from('ssh-rsa'), Buffer.from(short.e!, 'base64url'), Buffer.from(short.n!, 'base64url')].map(
      field,
    ),
  );
  it.each([
    ['', 'known type'],
    ['ssh-dss AAAA', 'known type'],
    ['constructor AAAA', 'known type'],
    [type, 'not base64'],
    [`${type} @@@@`, 'not base64'],
    [`${type} ${encoded.slice(0, 40)}`, 'cut off'],
    [`ssh-rsa ${encoded}`, 'not of the type ssh-rsa'],
    [`${type} ${encoded}AAAA`, 'cut off'],
    [`${ED25519}\ncommand="x" ${ED25519}`, 'one line'],
    [`${ED25519}\u0000`, 'one line'],
    [`${ED25519} ${'x'.repeat(20_000)}`, 'longer than'],
    [`ssh-rsa ${rsa.toString('base64')}`, '1024 bits, it has 512'],
  ])('%j is refused', (text, reason) => {
    expect(parsePublicKey(text)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  it('that is generated is read as the same key', async () => {
    const pair = await generateSshKeyPair('made');
    expect(parsePublicKey(pair.publicKey)).toMatchObject({ ok: true, blob: pair.blob });
    expect(pair.privateKey).toMatch(
      /^-----BEGIN OPENSSH PRIVATE KEY-----\n[\s\S]+\n-----END OPENSSH PRIVATE KEY-----\n$/,
    );
  });
});
