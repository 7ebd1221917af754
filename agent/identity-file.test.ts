import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCertificate } from '@ingot/shared/tls/public-key-pin.ts';
import { expect, it, onTestFinished } from 'vitest';
import { identityOfBoot } from './identity-file.ts';

function file(): string {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-identity-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, 'run/identity');
}

it('the identity of a boot is made once, and only root can read it', async () => {
  const path = file();
  const first = await identityOfBoot(path);
  expect(isCertificate(first.certificate)).toBe(true);
  expect(await identityOfBoot(path)).toEqual(first);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('an incomplete file counts as none', async () => {
  const path = file();
  await identityOfBoot(path);
  writeFileSync(path, '{"key":');
  expect(isCertificate((await identityOfBoot(path)).certificate)).toBe(true);
});
