import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAgentHardware } from '../test/fakes/agent/agent-hardware.ts';
import type { Params } from './api/params.ts';
import { installUefiEntry } from './bootloader/uefi.ts';
import { COMMANDS } from './commands.ts';
import { currentBootMode } from './inventory/machine.ts';

vi.mock(import('./inventory/machine.ts'), async (original) => ({
  ...(await original()),
  currentBootMode: vi.fn(),
}));
vi.mock(import('./bootloader/uefi.ts'), () => ({ installUefiEntry: vi.fn() }));

const directory = mkdtempSync(join(tmpdir(), 'ingot-commands-'));
afterAll(() => rmSync(directory, { recursive: true }));
beforeEach(() => {
  vi.mocked(installUefiEntry)
    .mockReset()
    .mockResolvedValue({ label: 'debian', path: '\\EFI\\debian\\shimx64.efi' });
});

/** A disk whose image has BIOS boot code or none. */
function disk(bootCode: boolean): string {
  const sector = Buffer.alloc(512);
  sector.writeUInt16LE(0xaa55, 510);
  if (bootCode) sector[0] = 0xeb;
  const path = join(directory, String(bootCode));
  writeFileSync(path, sector);
  return path;
}

function run(name: string, params: Params, device = disk(true)) {
  const hardware = createAgentHardware({});
  hardware.written.device = device;
  const context = {
    hardware,
    signal: new AbortController().signal,
    progress: () => undefined,
    node: {},
  };
  return { hardware, result: COMMANDS[name]!.run(context, params) };
}

describe('image.install_bootloader', () => {
  const install = (mode: 'bios' | 'uefi', target?: 'bios' | 'uefi', device?: string) => {
    vi.mocked(currentBootMode).mockReturnValue(mode);
    return run('image.install_bootloader', target === undefined ? {} : { target_boot_mode: target }, device)
      .result;
  };

  it.each([
    ['bios', undefined],
    ['bios', 'bios'],
    ['uefi', 'bios'],
  ] as const)('of a ramdisk in mode %s for the target %s only checks the boot code', async (mode, target) => {
    expect(await install(mode, target)).toBe('BIOS: the image contains its own boot code');
    await expect(install(mode, target, disk(false))).rejects.toThrow('has no boot code in its first sector');
    expect(installUefiEntry).not.toHaveBeenCalled();
  });

  it.each([
    ['uefi', undefined],
    ['uefi', 'uefi'],
  ] as const)('of a ramdisk in mode %s for the target %s sets a boot entry', async (mode, target) => {
    const entry = 'UEFI: boot entry "debian" for \\EFI\\debian\\shimx64.efi';
    expect(await install(mode, target, disk(false))).toBe(entry);
    expect(installUefiEntry).toHaveBeenCalledExactlyOnceWith(expect.any(Function), disk(false));
  });

  it('cannot set a boot entry from a ramdisk in BIOS mode', async () => {
    await expect(install('bios', 'uefi')).rejects.toThrow('this ramdisk was booted in BIOS mode');
    expect(installUefiEntry).not.toHaveBeenCalled();
  });

  it('may fail with a warning when the conductor allows it', async () => {
    vi.mocked(currentBootMode).mockReturnValue('bios');
    const params = { ignore_bootloader_failure: true };
    const { hardware, result } = run('image.install_bootloader', params, disk(false));
    expect(await result).toContain('not installed, ignored as ignore_bootloader_failure says: ');
    expect(hardware.log.lines().join()).toContain('warning: boot loader not installed');
    const strict = run('image.install_bootloader', { ignore_bootloader_failure: false }, disk(false));
    await expect(strict.result).rejects.toThrow('has no boot code');
  });
});

it.each([
  [['bios', 'uefi'], null],
  [['BIOS', '', 'legacy'], 'target_boot_mode must be bios or uefi'],
])('the boot modes %j: %s', (modes, fault) => {
  const param = COMMANDS['image.install_bootloader']!.params['target_boot_mode'];
  for (const mode of modes) expect(param?.fault?.(mode)).toBe(fault);
});

it('commands that change the machine are async, and those that only read are sync', () => {
  const sync = Object.entries(COMMANDS).flatMap(([name, { kind }]) => (kind === 'sync' ? [name] : []));
  expect(sync.toSorted()).toEqual([
    'clean.get_clean_steps',
    'deploy.get_deploy_steps',
    'log.collect_system_logs',
    'poll.get_hardware_info',
    'service.get_service_steps',
    'standby.get_partition_uuids',
    'standby.sync',
  ]);
});
