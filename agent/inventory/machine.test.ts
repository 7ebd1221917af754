import { totalmem } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createAgentHardware } from '../../test/fakes/agent/agent-hardware.ts';
import { makeTree } from '../../test/fakes/agent/file-tree.ts';
import {
  currentBootMode,
  parseCpuinfo,
  parseMemoryModules,
  readCpu,
  readMemory,
  readVendor,
} from './machine.ts';

const cpu = (number: number, socket: number | null): string =>
  [
    `processor\t: ${number}`,
    'vendor_id\t: GenuineIntel',
    'model\t\t: 106',
    'model name\t: Intel(R) Xeon(R) Processor @ 2.80GHz',
    'cpu MHz\t\t: 2793.436',
    ...(socket === null ? [] : [`physical id\t: ${socket}`]),
    'flags\t\t: fpu vme de pse tsc  lm',
    'vmx flags\t: ept',
    'power management:',
  ].join('\n');

describe('CPU', () => {
  it('is counted by processors and sockets, and described by the first', () => {
    const text = `${[cpu(0, 0), cpu(1, 0), cpu(2, 1), cpu(3, 1)].join('\n\n')}\n\n`;
    expect(parseCpuinfo(text)).toEqual({
      model_name: 'Intel(R) Xeon(R) Processor @ 2.80GHz',
      frequency: '2793.436',
      count: 4,
      architecture: expect.stringMatching(/^(x86_64|aarch64)$/),
      flags: ['fpu', 'vme', 'de', 'pse', 'tsc', 'lm'],
      socket_count: 2,
    });
  });

  it('of a machine that reports no sockets or names has none', async () => {
    const arm = 'processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\n';
    expect(await readCpu(makeTree({ 'proc/cpuinfo': arm }))).toMatchObject({
      model_name: null,
      frequency: null,
      count: 1,
      flags: [],
      socket_count: null,
    });
    expect(await readCpu(makeTree({}))).toMatchObject({ count: 0 });
  });
});

/** A module in the output of dmidecode 3.4; `Volatile Size` was added in SMBIOS 3.2. */
const dimm = (size: string, more = ''): string =>
  `Handle 0x1100, DMI type 17, 40 bytes\nMemory Device\n\tArray Handle: 0x1000\n\tTotal Width: 72 bits\n\tSize: ${size}\n\tForm Factor: DIMM\n\tLocator: DIMM 0\n${more}\n`;
const DMIDECODE = '# dmidecode 3.4\nGetting SMBIOS data from sysfs.\nSMBIOS 3.3.0 present.\n\n';

describe('memory', () => {
  it.each<[string, string[], number | null]>([
    ['QEMU', ['1 GB'], 1024],
    ['several, with an empty slot', ['16 GB', 'No Module Installed', '16 GB', 'Unknown'], 32_768],
    ['MB of older versions', ['8192 MB', '8192 MB'], 16_384],
    ['TB and kB', ['1 TB', '512 kB', '512 kB'], 1_048_577],
    ['none', ['No Module Installed'], null],
  ])('is the sum of the modules: %s', (_, sizes, mib) => {
    expect(parseMemoryModules(DMIDECODE + sizes.map((size) => dimm(size)).join('\n'))).toBe(mib);
  });

  it('is not counted twice with other sizes of a module', () => {
    const more = '\tVolatile Size: 16 GB\n\tCache Size: None\n\tLogical Size: 16 GB\n';
    expect(parseMemoryModules(dimm('16 GB', more))).toBe(16_384);
  });

  const BLOCKS = {
    'sys/devices/system/memory/block_size_bytes': '8000000\n',
    'sys/devices/system/memory/memory0/state': 'online\n',
    'sys/devices/system/memory/memory1/state': 'online\n',
    'sys/devices/system/memory/power/control': 'auto\n',
  };

  it('comes from the firmware, else from the memory blocks of the kernel, else from its usable memory', async () => {
    const { run, started } = createAgentHardware({
      outputs: { 'dmidecode -t 17': DMIDECODE + dimm('1 GB') },
    });
    expect(await readMemory(run, makeTree(BLOCKS))).toEqual({ total: totalmem(), physical_mb: 1024 });
    expect(started).toEqual([['dmidecode', '-t', '17']]);
    for (const output of [new Error('dmidecode failed (ENOENT)'), DMIDECODE]) {
      const without = createAgentHardware({ outputs: { dmidecode: output } });
      expect((await readMemory(without.run, makeTree(BLOCKS))).physical_mb).toBe(256);
      expect((await readMemory(without.run, makeTree({}))).physical_mb).toBe(
        Math.round(totalmem() / 1024 ** 2),
      );
    }
  });
});

it.each([
  ['a size of blocks and no blocks', { 'sys/devices/system/memory/block_size_bytes': '8000000\n' }],
  ['blocks without their size', { 'sys/devices/system/memory/memory0/state': 'online\n' }],
])('memory of a kernel that tells %s is what it uses', async (_, files) => {
  const { run } = createAgentHardware({});
  expect((await readMemory(run, makeTree(files))).physical_mb).toBe(Math.round(totalmem() / 1024 ** 2));
});

describe('firmware', () => {
  it('has the name of the machine and of the firmware', async () => {
    const tree = makeTree({
      'sys/class/dmi/id/product_name': 'PowerEdge R640\n',
      'sys/class/dmi/id/product_serial': 'ABC1234\n',
      'sys/class/dmi/id/sys_vendor': 'Dell Inc. \n',
      'sys/class/dmi/id/bios_vendor': 'Dell Inc.\n',
      'sys/class/dmi/id/bios_version': '2.19.1\n',
      'sys/class/dmi/id/bios_date': '06/04/2023\n',
    });
    expect(await readVendor(tree)).toEqual({
      product_name: 'PowerEdge R640',
      serial_number: 'ABC1234',
      manufacturer: 'Dell Inc.',
      firmware: { vendor: 'Dell Inc.', version: '2.19.1', build_date: '06/04/2023' },
    });
  });

  it('without data has empty texts, as in ironic-python-agent', async () => {
    expect(await readVendor(makeTree({}))).toEqual({
      product_name: '',
      serial_number: '',
      manufacturer: '',
      firmware: { vendor: '', version: '', build_date: '' },
    });
  });

  it('is UEFI when the kernel has its services, else BIOS', () => {
    expect(currentBootMode(makeTree({ 'sys/firmware/efi/fw_platform_size': '64\n' }))).toBe('uefi');
    expect(currentBootMode(makeTree({ 'sys/firmware/acpi': { directory: true } }))).toBe('bios');
  });
});
