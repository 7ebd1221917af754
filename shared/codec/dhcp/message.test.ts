import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/random-cases.ts';
import { type DhcpMessage, decodeDhcp, encodeDhcp } from './message.ts';
import { bootRequester, machineUuid, messageType, Option } from './options.ts';

const byte = fc.integer({ min: 0, max: 255 });
const address = fc.tuple(byte, byte, byte, byte).map((parts) => parts.join('.'));
const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((value) => Buffer.from(value));
const ascii = (maxLength: number) =>
  fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((n) => String.fromCharCode(n)), maxLength });
/** All but pad, end and overload, which the encoder itself writes. */
const code = fc.integer({ min: 1, max: 254 }).filter((n) => n !== 52);

const message: fc.Arbitrary<DhcpMessage> = fc.record({
  op: fc.constantFrom(1 as const, 2 as const),
  htype: byte,
  hops: byte,
  xid: fc.nat(0xffffffff),
  secs: fc.nat(0xffff),
  flags: fc.nat(0xffff),
  ciaddr: address,
  yiaddr: address,
  siaddr: address,
  giaddr: address,
  chaddr: fc.uint8Array({ minLength: 1, maxLength: 16 }).map((value) => Buffer.from(value)),
  sname: ascii(63),
  file: ascii(127),
  options: fc.array(fc.tuple(code, bytes(700)), { maxLength: 12 }).map((list) => new Map(list)),
});

const DISCOVER: DhcpMessage = {
  op: 1,
  htype: 1,
  hops: 0,
  xid: 0x11223344,
  secs: 4,
  flags: 0x8000,
  ciaddr: '0.0.0.0',
  yiaddr: '0.0.0.0',
  siaddr: '0.0.0.0',
  giaddr: '0.0.0.0',
  chaddr: Buffer.from('525400abcdef', 'hex'),
  sname: '',
  file: '',
  options: new Map([
    [Option.messageType, Buffer.from([1])],
    [Option.vendorClass, Buffer.from('PXEClient:Arch:00007:UNDI:003001')],
    [Option.clientArch, Buffer.from([0, 7])],
    [Option.machineId, Buffer.from('0033221100554477668899aabbccddeeff', 'hex')],
  ]),
};

const withOptions = (...parts: readonly (readonly number[])[]): Buffer =>
  Buffer.concat([
    encodeDhcp({ ...DISCOVER, options: new Map() }).subarray(0, 240),
    Buffer.from(parts.flat()),
  ]);

describe('DHCP message', () => {
  it('is decoded to what was encoded', () => {
    fc.assert(
      fc.property(message, (value) => {
        const decoded = decodeDhcp(encodeDhcp(value));
        expect(decoded).toEqual({ ok: true, value });
      }),
      { numRuns: 500 },
    );
  });

  it('has the layout of RFC 2131', () => {
    const packet = encodeDhcp(DISCOVER);
    expect(packet.subarray(0, 34).toString('hex')).toBe(
      `01010600112233440004800000000000000000000000000000000000525400abcdef`,
    );
    expect(packet.subarray(236, 243).toString('hex')).toBe('63825363350101');
    expect(packet.length).toBeGreaterThanOrEqual(300);
  });

  it('splits and joins an option longer than 255 bytes (RFC 3396)', () => {
    const long = Buffer.alloc(600, 7);
    const packet = encodeDhcp({ ...DISCOVER, options: new Map([[43, long]]) });
    expect([packet[240], packet[241], packet[497], packet[498]]).toEqual([43, 255, 43, 255]);
    const decoded = decodeDhcp(packet);
    expect(decoded.ok && decoded.value.options.get(43)?.equals(long)).toBe(true);
  });

  it('reads options that continue in file and sname', () => {
    const packet = withOptions([52, 1, 3], [53, 1, 1], [255]);
    Buffer.from([60, 2, 0x61, 0x62, 255]).copy(packet, 108);
    Buffer.from([0, 0, 12, 1, 0x63, 255]).copy(packet, 44);
    const decoded = decodeDhcp(packet);
    expect(decoded).toMatchObject({ ok: true, value: { file: '', sname: '' } });
    if (!decoded.ok) return;
    expect(decoded.value.options.get(60)?.toString()).toBe('ab');
    expect(decoded.value.options.get(12)?.toString()).toBe('c');
  });

  it('skips pads between options and accepts a missing end option', () => {
    const decoded = decodeDhcp(withOptions([0, 0, 53, 1, 1, 0, 0, 0, 61, 0]));
    expect(decoded.ok && messageType(decoded.value)).toBe(1);
    expect(decoded.ok && decoded.value.options.get(61)?.length).toBe(0);
  });

  it.each([
    ['nothing', Buffer.alloc(0), 'shorter than a DHCP message'],
    ['option over the end', withOptions([53, 9, 1]), 'option 53 extends beyond the end'],
    ['option without a length', withOptions([53]), 'option 53 extends beyond the end'],
    ['BOOTP without magic', Buffer.alloc(300, 1), 'no DHCP magic'],
  ])('rejects %s with a reason', (_name, packet, reason) => {
    const decoded = decodeDhcp(packet);
    expect(decoded.ok ? '' : decoded.reason).toBe(reason);
    expect(decoded.ok).toBe(false);
  });

  it('answers a value or a reason for every prefix', () => {
    const packet = encodeDhcp({
      ...DISCOVER,
      options: new Map([...DISCOVER.options, [82, Buffer.alloc(200)]]),
    });
    for (let length = 0; length <= packet.length; length += 1) {
      const decoded = decodeDhcp(packet.subarray(0, length));
      if (length < 240) expect(decoded.ok).toBe(false);
    }
  });

  it('never throws, whatever bytes change', () => {
    const packet = encodeDhcp(DISCOVER);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(packet.length - 1), byte), { maxLength: 20 }), (changes) => {
        const mutant = Buffer.from(packet);
        for (const [at, value] of changes) mutant[at] = value;
        const decoded = decodeDhcp(mutant);
        if (!decoded.ok) {
          expect(decoded.reason).not.toBe('');
          return;
        }
        bootRequester(decoded.value);
        machineUuid(decoded.value);
        messageType(decoded.value);
        expect(decodeDhcp(encodeDhcp(decoded.value)).ok).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('never throws on random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1500 }), (noise) => {
        const packet = Buffer.concat([withOptions(), Buffer.from(noise)]);
        expect(typeof decodeDhcp(packet).ok).toBe('boolean');
        expect(decodeDhcp(Buffer.from(noise)).ok && noise[0] !== 1 && noise[0] !== 2).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('the sender of a request', () => {
  const asking = (options: Record<number, string | Buffer>): DhcpMessage => ({
    ...DISCOVER,
    options: new Map(
      Object.entries(options).map(([key, value]) => [Number(key), Buffer.from(value as string)]),
    ),
  });

  it.each([
    [
      'BIOS firmware',
      { 60: 'PXEClient:Arch:00000', 93: Buffer.from([0, 0]) },
      { kind: 'pxe', architectures: [0] },
    ],
    [
      'UEFI firmware',
      { 60: 'PXEClient:Arch:00007', 93: Buffer.from([0, 7]) },
      { kind: 'pxe', architectures: [7] },
    ],
    [
      'several architectures',
      { 60: 'PXEClient', 93: Buffer.from([0, 9, 0, 7]) },
      { kind: 'pxe', architectures: [9, 7] },
    ],
    [
      'UEFI HTTP boot',
      { 60: 'HTTPClient:Arch:00016', 93: Buffer.from([0, 16]) },
      { kind: 'http', architectures: [16] },
    ],
    ['iPXE by user class', { 60: 'PXEClient:Arch:00000', 77: 'iPXE' }, { kind: 'ipxe' }],
    ['iPXE by a counted user class', { 60: 'PXEClient:Arch:00000', 77: '\u0004iPXE' }, { kind: 'ipxe' }],
    [
      'iPXE by its own options',
      { 60: 'PXEClient:Arch:00007', 175: Buffer.from([1, 1, 1]) },
      { kind: 'ipxe' },
    ],
    ['an operating system', { 60: 'udhcp 1.35', 12: 'host' }, { kind: 'none' }],
    [
      'a truncated architecture',
      { 60: 'PXEClient', 93: Buffer.from([7]) },
      { kind: 'pxe', architectures: [0] },
    ],
  ] as const)('%s', (_name, options, requester) => {
    expect(bootRequester(asking(options as Record<number, string | Buffer>))).toEqual(requester);
  });

  it('reads the machine identifier with its little-endian groups', () => {
    expect(machineUuid(DISCOVER)).toBe('00112233-4455-6677-8899-aabbccddeeff');
    expect(machineUuid(asking({ 97: Buffer.alloc(16) }))).toBeUndefined();
    expect(machineUuid(asking({ 97: Buffer.alloc(17, 1) }))).toBeUndefined();
  });
});
