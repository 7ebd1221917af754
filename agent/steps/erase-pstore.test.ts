import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fakeContext } from '../../test/fakes/agent/command-context.ts';
import { erasePstore } from './erase-pstore.ts';

const GUID = 'cfc8fc79-be2e-4ddc-97f0-9f98bfe298a0';

function makePlaces() {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-pstore-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return { dir, pstore: join(dir, 'pstore'), efiVariables: join(dir, 'efivars') };
}

it('removes every record of pstore, and the EFI variables with crashes', async () => {
  const { pstore, efiVariables } = makePlaces();
  for (const place of [pstore, efiVariables]) mkdirSync(place);
  writeFileSync(join(pstore, 'dmesg-erst-1'), 'secret');
  for (const name of [`dump-type0-1-1-1700000000-C-${GUID}`, `BootOrder-${GUID}`])
    writeFileSync(join(efiVariables, name), 'x');
  const ran: string[] = [];
  const run = async (program: string, args: readonly string[]) => {
    ran.push([program, ...args].join(' '));
    throw new Error('pstore already mounted');
  };
  await erasePstore(fakeContext({ run, disks: [] }), { pstore, efiVariables });
  expect(ran).toEqual([`mount -t pstore pstore ${pstore}`]);
  expect(readdirSync(pstore)).toEqual([]);
  expect(readdirSync(efiVariables)).toEqual([`BootOrder-${GUID}`]);
});

it('has nothing to do on a machine without either', async () => {
  const { pstore, efiVariables } = makePlaces();
  const run = async () => Promise.reject(new Error('not to be called'));
  await erasePstore(fakeContext({ run, disks: [] }), { pstore, efiVariables });
});
