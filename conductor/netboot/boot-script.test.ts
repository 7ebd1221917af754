import { describe, expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import { type KernelParam, type Mac, parseKernelParam } from '../domain/boot.ts';
import { bootScript } from './boot-script.ts';

const mac = '52:54:00:ab:cd:ef' as Mac;
const place = { httpBaseUrl: 'http://10.1.0.1:8089', mac };
const nodeUuid = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
const script = (words: readonly string[]): string =>
  bootScript({ kind: 'ramdisk', nodeUuid, kernelParams: words as readonly KernelParam[] }, place);
const BASE = `http://10.1.0.1:8089/boot/${nodeUuid}`;

/**
 * The commands of a line as iPXE parses it: white space separates words, `;`, `&&` and `||` separate commands, and
 * `#` starts a comment.
 */
function commandsOf(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const word of line.split(/\s+/).filter((part) => part !== '')) {
    if (word.startsWith('#')) break;
    if ([';', '&&', '||'].includes(word)) commands.push([]);
    else commands.at(-1)?.push(word);
  }
  return commands;
}

describe('iPXE script', () => {
  it('boots the ramdisk, and loads the script again when that fails', () => {
    const lines = script(['console=ttyS0,115200', 'ipa-api-url=http://10.1.0.1:8089']).split('\n');
    expect(lines[0]).toBe('#!ipxe');
    expect(lines).toContain(
      `kernel ${BASE}/vmlinuz initrd=ramdisk.img console=ttyS0,115200 ipa-api-url=http://10.1.0.1:8089 BOOTIF=01-52-54-00-ab-cd-ef || goto failed`,
    );
    expect(lines).toContain(`initrd --name ramdisk.img ${BASE}/ramdisk.img || goto failed`);
    expect(lines).toContain(
      'chain --replace http://10.1.0.1:8089/boot/script.ipxe?mac=52-54-00-ab-cd-ef || goto failed',
    );
  });

  it.each(['disk', 'nothing', 'unknown'] as const)('sends the machine to its disk for %s', (kind) => {
    const text = bootScript(kind === 'unknown' ? { kind } : { kind, nodeUuid }, place);
    expect(text).toContain(
      `iseq \${platform} efi && exit 1 ||\nsanboot --no-describe --drive 0x80 || exit 1\n`,
    );
    expect(text).not.toContain('kernel');
  });

  it.each([';', '&&', '&', ';;', '||', '#', '$net0', 'a b', 'a\nshell', '"x"', '', '\t'])(
    'rejects the kernel argument %j',
    (word) => {
      expect(parseKernelParam(word)).toBeUndefined();
      // An older version may have stored it: the script then boots nothing.
      expect(script([word])).not.toContain('kernel http');
    },
  );

  it('has the same few commands for any arguments', () => {
    const word = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.string({
        unit: fc.constantFrom(';', '&', '|', '#', '$', '{', '}', '\n', '\r', ' ', '=', 'a', '-'),
        maxLength: 6,
      }),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        const params = words.filter((one) => parseKernelParam(one) !== undefined);
        const text = script(params);
        const kernel = text.split('\n').find((line) => line.startsWith('kernel')) ?? '';
        expect(commandsOf(kernel).map(([name]) => name)).toEqual(['kernel', 'goto']);
        expect(text.split('\n')).toHaveLength(12);
        expect(text).not.toContain('$');
        expect(text).toMatch(/^[\x20-\x7e\n]*$/);
      }),
      { numRuns: 2000 },
    );
  });

  it('has the same form for unchecked arguments', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 20 }), { maxLength: 5 }), (words) => {
        const text = script(words);
        if (words.some((one) => parseKernelParam(one) === undefined))
          expect(text).not.toContain('kernel http');
        expect(text).toMatch(/^[\x20-\x7e\n]*$/);
      }),
      { numRuns: 2000 },
    );
  });
});
