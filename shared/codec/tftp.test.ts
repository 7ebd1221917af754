import { describe, expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import { decodeTftp, encodeTftp, type TftpPacket } from './tftp.ts';

const word = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((n) => String.fromCharCode(n)),
  minLength: 1,
  maxLength: 40,
});
const name = word.map((text) => text.toLowerCase());
const options = fc.array(fc.tuple(name, word), { maxLength: 6 }).map((list) => new Map(list));
const u16 = fc.nat(0xffff);

const packet: fc.Arbitrary<TftpPacket> = fc.oneof(
  fc.record({ op: fc.constantFrom('rrq' as const, 'wrq' as const), filename: word, mode: name, options }),
  fc.record({
    op: fc.constant('data' as const),
    block: u16,
    data: fc.uint8Array({ maxLength: 1468 }).map((value) => Buffer.from(value)),
  }),
  fc.record({ op: fc.constant('ack' as const), block: u16 }),
  fc.record({ op: fc.constant('error' as const), code: u16, message: word }),
  fc.record({
    op: fc.constant('oack' as const),
    options: options.filter((map) => map.size > 0),
  }),
);

describe('TFTP packet', () => {
  it('is decoded to what was encoded', () => {
    fc.assert(
      fc.property(packet, (value) => {
        expect(decodeTftp(encodeTftp(value))).toEqual({ ok: true, value });
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['rrq', '0001612e65666900' + '6f6374657400', { op: 'rrq', filename: 'a.efi', mode: 'octet' }],
    ['data', '0003ffff0102', { op: 'data', block: 65535 }],
    ['ack', '00040007', { op: 'ack', block: 7 }],
    ['error without a terminator', '0005000161', { op: 'error', code: 1, message: '' }],
  ])('decodes %s as in RFC 1350', (_name, hex, value) => {
    expect(decodeTftp(Buffer.from(hex, 'hex'))).toMatchObject({ ok: true, value });
  });

  it('takes option names in any case', () => {
    const request = decodeTftp(Buffer.from('\0\u0001f\0OCTET\0BlkSize\x001468\0', 'latin1'));
    expect(request).toMatchObject({
      ok: true,
      value: { mode: 'octet', options: new Map([['blksize', '1468']]) },
    });
  });

  it.each([
    ['nothing', ''],
    ['three bytes', '000100'],
    ['an unknown opcode', '00090000'],
    ['a name without a terminator', '000161626364'],
    ['a name without a mode', '00016162636400'],
    ['an option without a value', '0001610062006300'],
    ['a truncated OACK', '00066162'],
  ])('refuses %s', (_name, hex) => {
    expect(decodeTftp(Buffer.from(hex, 'hex')).ok).toBe(false);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.nat(8), fc.uint8Array({ maxLength: 600 }), (opcode, noise) => {
        const decoded = decodeTftp(Buffer.concat([Buffer.from([0, opcode]), noise]));
        if (!decoded.ok) expect(decoded.reason).not.toBe('');
      }),
      { numRuns: 5000 },
    );
  });
});
