import { describe, expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import { type KernelParam, type Mac, parseKernelParam } from '../domain/boot.ts';
import { grubConfig, grubEntry } from './grub-config.ts';

const mac = '52:54:00:ab:cd:ef' as Mac;
const place = { address: '10.1.0.1', mac };
const nodeUuid = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
const config = (words: readonly string[]): string =>
  grubConfig({ kind: 'ramdisk', nodeUuid, kernelParams: words as readonly KernelParam[] }, place);
const BASE = `(tftp,10.1.0.1)/boot/${nodeUuid}`;

/** The words of a line as GRUB's shell parses it: white space and `;` separate words, single quotes group them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|[^\s;']+|;/g)].map(([word, inside]) => inside ?? word);

describe('GRUB configuration', () => {
  it('loads the configuration of the machine until something boots', () => {
    expect(grubEntry(place)).toBe(
      [
        'while true; do',
        '  source (tftp,10.1.0.1)/grub/machine/$net_default_mac.cfg',
        "  echo 'Ingot: nothing was booted, asking again in 5 s'",
        '  sleep 5',
        'done',
        '',
      ].join('\n'),
    );
  });

  it('boots the ramdisk', () => {
    const lines = config(['console=ttyS0,115200', 'x=a;b&c']).split('\n');
    expect(lines).toContain(
      `if linux ${BASE}/vmlinuz 'console=ttyS0,115200' 'x=a;b&c' 'BOOTIF=01-52-54-00-ab-cd-ef'; then`,
    );
    expect(lines).toContain(`  if initrd ${BASE}/ramdisk.img; then`);
  });

  it.each(['disk', 'nothing', 'unknown'] as const)('starts the loader of the disk for %s', (kind) => {
    const text = grubConfig(kind === 'unknown' ? { kind } : { kind, nodeUuid }, place);
    expect(text).toContain('if search --no-floppy --file --set=root /EFI/BOOT/BOOTX64.EFI; then\n');
    expect(text.indexOf('/EFI/debian/shimx64.efi')).toBeLessThan(text.indexOf('/EFI/BOOT/BOOTX64.EFI'));
    expect(text.endsWith('exit\n')).toBe(true);
    expect(text).not.toContain('linux (');
  });

  it('has the same few commands for any arguments, and contains each argument unchanged', () => {
    const character = fc.constantFrom(...';&|#$', ...'{}', ...'\'"\\\n\r =a-()<>[]%?~');
    const word = fc.oneof(fc.string({ maxLength: 12 }), fc.string({ unit: character, maxLength: 6 }));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        const params = words.filter((one) => parseKernelParam(one) !== undefined);
        const text = config(params);
        const [linux] = text.split('\n').filter((line) => line.startsWith('if linux'));
        expect(wordsOf(linux ?? '')).toEqual([
          ...['if', 'linux', `${BASE}/vmlinuz`, ...params, 'BOOTIF=01-52-54-00-ab-cd-ef', ';', 'then'],
        ]);
        expect(text.split('\n')).toHaveLength(7);
        expect(text).toMatch(/^[\x20-\x7e\n]*$/);
        // With unchecked arguments, for example stored by an older version, it boots nothing.
        if (params.length < words.length) expect(config(words)).not.toContain('linux (');
      }),
      { numRuns: 2000 },
    );
  });
});
