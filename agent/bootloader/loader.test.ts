import { describe, expect, it } from 'vitest';
import { makeTree } from '../../test/fakes/agent/file-tree.ts';
import { type Candidate, chooseLoader, loadersIn } from './loader.ts';

const directory = (name: string, files: readonly string[], csv: string | null = null): Candidate => ({
  directory: name,
  files,
  csv,
});
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

describe('the loader', () => {
  it.each<[string, readonly Candidate[], string, string]>([
    [
      'that a CSV names, with its label',
      [
        directory('EFI/BOOT', ['BOOTX64.EFI']),
        directory('EFI/fedora', ['shimx64.efi'], 'shimx64.efi,Fedora,,text'),
      ],
      'EFI/fedora/shimx64.efi',
      'Fedora',
    ],
    [
      'as it is spelled on the disk',
      [directory('EFI/x', ['ShimX64.EFI'], 'shimx64.efi,X')],
      'EFI/x/ShimX64.EFI',
      'X',
    ],
    [
      'of the first line of a CSV whose file is there',
      [directory('EFI/x', ['grubx64.efi'], 'shimx64.efi,Shim\r\n\r\ngrubx64.efi,Grub\r\n')],
      'EFI/x/grubx64.efi',
      'Grub',
    ],
    [
      'that is known when a CSV names none',
      [directory('EFI/x', ['shimx64.efi'], '../../../etc/passwd,Evil\nmissing.efi,Y\nshimx64.efi,\n')],
      'EFI/x/shimx64.efi',
      'x',
    ],
    [
      'shim before grub',
      [directory('EFI/debian', ['fbx64.efi', 'grubx64.efi', 'mmx64.efi', 'shimx64.efi'])],
      'EFI/debian/shimx64.efi',
      'debian',
    ],
    [
      'of a vendor before the removable path',
      [
        directory('EFI/BOOT', ['BOOTX64.EFI', 'grubx64.efi']),
        directory('EFI/systemd', ['systemd-bootx64.efi']),
      ],
      'EFI/systemd/systemd-bootx64.efi',
      'systemd',
    ],
    [
      'of the removable path when nothing else is there',
      [directory('EFI/Microsoft', ['Boot']), directory('efi/Boot', ['bootia32.efi', 'bootx64.efi'])],
      'efi/Boot/bootx64.efi',
      'Boot',
    ],
    [
      'in the same order however the directory is read',
      [directory('EFI/ubuntu', ['shimx64.efi']), directory('EFI/debian', ['shimx64.efi'])],
      'EFI/debian/shimx64.efi',
      'debian',
    ],
  ])('is the one %s', (_, candidates, path, label) => {
    expect(chooseLoader(candidates, 'x64')).toEqual({ path, label });
    expect(chooseLoader([...candidates].reverse(), 'x64')).toEqual({ path, label });
  });

  it('is of this architecture', () => {
    const both = [directory('EFI/debian', ['shimaa64.efi', 'shimx64.efi'])];
    expect(chooseLoader(both, 'x64')?.path).toBe('EFI/debian/shimx64.efi');
    expect(chooseLoader(both, 'aa64')?.path).toBe('EFI/debian/shimaa64.efi');
    expect(chooseLoader(both, 'riscv64')).toBeUndefined();
  });

  it.each([
    ['Größe\u0007 \u202eevil', 'Gre evil'],
    [`${'x'.repeat(59)} yz`, 'x'.repeat(59)],
    ['日本', 'disk'],
  ])('has a label firmware can show: %s', (label, shown) => {
    expect(chooseLoader([directory('EFI/x', ['a.efi'], `a.efi,${label}`)])?.label).toBe(shown);
  });
});

describe('a mounted EFI system partition', () => {
  it('is read one level deep, with the CSV of this architecture', async () => {
    const root = makeTree({
      'EFI/debian/shimx64.efi': 'x',
      'EFI/debian/BOOTAA64.CSV': utf16('shimaa64.efi,arm'),
      'EFI/debian/BOOTX64.CSV': utf16('shimx64.efi,debian,,über\n'),
      'EFI/redhat/BOOT.CSV': 'shim.efi,Red Hat\n',
      'EFI/Microsoft/Boot/bootmgfw.efi': 'x',
      'EFI/notes.txt': 'x',
      'startup.nsh': 'x',
    });
    const found = await loadersIn(root, 'x64');
    expect(found.map((one) => [one.directory, one.csv]).sort()).toEqual([
      ['EFI/Microsoft', null],
      ['EFI/debian', 'shimx64.efi,debian,,über\n'],
      ['EFI/redhat', 'shim.efi,Red Hat\n'],
    ]);
    expect(chooseLoader(found, 'x64')).toEqual({ path: 'EFI/debian/shimx64.efi', label: 'debian' });
  });

  it('without a directory for boot loaders holds none', async () => {
    expect(await loadersIn(makeTree({ 'boot/grub.cfg': 'x' }))).toEqual([]);
  });

  it('is read only up to a limit when the CSV is endless', async () => {
    const root = makeTree({ 'EFI/x/BOOT.CSV': 'a,b\n'.repeat(100_000) });
    expect((await loadersIn(root))[0]?.csv).toHaveLength(64 * 1024);
  });
});
