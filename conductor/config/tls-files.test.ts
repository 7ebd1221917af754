import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newPrivateKey, selfSigned } from '@ingot/shared/tls/self-signed.ts';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { loadConfig } from './config.ts';
import { readTlsFiles, type TlsPaths } from './tls-files.ts';

const dir = mkdtempSync(join(tmpdir(), 'ingot-tls-'));
const paths: TlsPaths = { prefix: 'api.tls', cert: join(dir, 'cert.pem'), key: join(dir, 'key.pem') };
const identity = selfSigned('api', newPrivateKey());
const write = (path: string, text: string): void => {
  rmSync(path, { force: true });
  writeFileSync(path, text, { mode: 0o600 });
};
beforeEach(() => {
  write(paths.cert, identity.certificate);
  write(paths.key, identity.key);
});
afterAll(() => rmSync(dir, { recursive: true }));

it('reads certificate and key; the group may read the key', () => {
  chmodSync(paths.key, 0o640);
  expect(readTlsFiles(paths)).toMatchObject({ cert: identity.certificate, key: identity.key });
});

it.each<[string, () => void, string]>([
  ['a missing certificate', () => rmSync(paths.cert), 'api.tls.cert: '],
  ['a missing key', () => rmSync(paths.key), 'does not exist'],
  ['a key that everybody may read', () => chmodSync(paths.key, 0o644), 'can be read by every user'],
  ['a file without a certificate', () => write(paths.cert, 'x'), 'has no certificate in PEM'],
  ['a file without a key', () => write(paths.key, identity.certificate), 'has no private key in PEM'],
  [
    'a key of another certificate',
    () => write(paths.key, newPrivateKey()),
    'does not belong to the certificate',
  ],
])('%s is an error', (_, spoil, text) => {
  spoil();
  expect(() => readTlsFiles(paths)).toThrow(text);
});

const load = (file: object) =>
  loadConfig({ file, fileName: 'f', environment: {}, flags: {} }, { hostName: 'h', interfaces: {} });

it('the configuration names what is missing', () => {
  expect(load({ api: { tls: { cert: paths.cert } } })).toMatchObject({
    problems: ['api.tls.key: is needed with api.tls.cert'],
  });
  expect(load({ compute: { tls: { key: paths.key } } })).toMatchObject({
    problems: ['compute.tls.cert: is needed with compute.tls.key'],
  });
  rmSync(paths.key);
  expect(load({ api: { tls: { cert: paths.cert, key: paths.key } } })).toMatchObject({
    problems: [`api.tls.key: ${paths.key} does not exist`],
  });
});
