import { type DhcpMessage, decodeAddress, decodeDhcp, encodeDhcp } from '@ingot/shared/codec/dhcp/message.ts';
import { MessageType, messageType, Option } from '@ingot/shared/codec/dhcp/options.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { type BootFakes, createBootFakes } from '../../test/fakes/netboot/boot-fakes.ts';
import {
  addressOption,
  CLIENTS,
  dhcpRequest,
  type RequestFields,
} from '../../test/fakes/netboot/dhcp-client.ts';
import { fc } from '../../test/random-cases.ts';
import type { BootDecision, Mac } from '../domain/boot.ts';
import { createAddressPool } from './address-pool.ts';
import { createDhcpHandler } from './dhcp-handler.ts';
import type { DhcpPort } from './dhcp-proxy.ts';
import { destination } from './dhcp-server.ts';
import type { DhcpSettings } from './dhcp-settings.ts';

const SETTINGS: DhcpSettings = {
  dhcpMode: 'reservation',
  address: '10.1.0.1',
  netmask: '255.255.255.0',
  dhcpRangeStart: '10.1.0.1',
  dhcpRangeEnd: '10.1.0.4',
  dhcpRouter: '10.1.0.2',
  dhcpDns: ['10.1.0.53'],
  dhcpLeaseMs: 3_600_000,
  loaders: { bios: 'undionly.kpxe', 'uefi-x64': 'snponly.efi', 'uefi-arm64': null },
  httpBaseUrl: 'http://10.1.0.1:8089',
};
const nodeUuid = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
const RAMDISK = { kind: 'ramdisk', nodeUuid, kernelParams: [] } as const satisfies BootDecision;
const [A, B, C, STRANGER] = [
  '52:54:00:00:00:0a',
  '52:54:00:00:00:0b',
  '52:54:00:00:00:0c',
  '52:54:00:ff:ff:ff',
];
const SCRIPT = 'http://10.1.0.1:8089/boot/script.ipxe?mac=52-54-00-00-00-0a';
const [FIRST, SECOND] = ['10.1.0.3', '10.1.0.4'];

let fakes: BootFakes;
let clock: number;
let warnings: string[];
let facts: object[];

function serverOf(more: Partial<DhcpSettings> = {}) {
  const settings = { ...SETTINGS, ...more };
  const now = () => new Date(clock);
  const pool = createAddressPool({
    leases: fakes.leases,
    rangeStart: settings.dhcpRangeStart,
    rangeEnd: settings.dhcpRangeEnd,
    leaseMs: settings.dhcpLeaseMs,
    taken: [settings.address, '10.1.0.2', ...settings.dhcpDns],
    now,
  });
  const warn = (fields: object, text: string) => {
    warnings.push(text);
    facts.push(fields);
  };
  const handle = createDhcpHandler({ settings, pool, now, warn, ...fakes });
  /** Encodes and decodes messages, so that the test compares what a client would read. */
  return async (
    type: keyof typeof MessageType,
    fields: RequestFields,
    port: DhcpPort = 'dhcp',
  ): Promise<DhcpMessage | undefined> => {
    const reply = await handle(dhcpRequest(type, fields), port);
    if (reply === undefined) return undefined;
    const decoded = decodeDhcp(encodeDhcp(reply));
    if (!decoded.ok) throw new Error(decoded.reason);
    return decoded.value;
  };
}

/** DISCOVER and REQUEST. */
async function take(ask: ReturnType<typeof serverOf>, mac: string, address: string): Promise<void> {
  expect((await ask('discover', { mac }))?.yiaddr).toBe(address);
  expect(typeOf(await ask('request', { mac, options: { 50: addressOption(address) } }))).toBe('ack');
}

const text = (reply: DhcpMessage | undefined, code: number) => reply?.options.get(code)?.toString('latin1');
const typeOf = (reply: DhcpMessage | undefined) =>
  Object.entries(MessageType).find(([, value]) => reply !== undefined && value === messageType(reply))?.[0];

beforeEach(() => {
  fakes = createBootFakes({ [A!]: RAMDISK, [B!]: RAMDISK, [C!]: RAMDISK });
  clock = Date.UTC(2026, 0, 1);
  warnings = [];
  facts = [];
});

describe('DHCP in mode reservation', () => {
  it('leases an address to a known machine and stores the lease', async () => {
    const ask = serverOf();
    const offer = await ask('discover', { mac: A! });
    expect(typeOf(offer)).toBe('offer');
    expect(offer).toMatchObject({ yiaddr: FIRST, siaddr: '10.1.0.1', file: SCRIPT, xid: 0x01020304 });
    expect(decodeAddress(offer?.options.get(Option.serverId))).toBe('10.1.0.1');
    expect(decodeAddress(offer?.options.get(Option.router))).toBe('10.1.0.2');
    expect(offer?.options.get(Option.leaseTime)?.readUInt32BE()).toBe(3600);
    const options = { 50: addressOption(FIRST!), 54: addressOption('10.1.0.1') };
    const ack = await ask('request', { mac: A!, options });
    expect([typeOf(ack), ack?.yiaddr]).toEqual(['ack', FIRST]);
    expect(await fakes.leases.byMac(A as Mac)).toMatchObject({
      address: FIRST,
      expiresAt: new Date(clock + 3_600_000),
    });
    expect(fakes.seen()).toEqual(['dhcp discover', 'dhcp offer', 'dhcp request', 'dhcp ack']);
  });

  it.each([
    ['bios', { file: 'undionly.kpxe', siaddr: '10.1.0.1' }, 'PXEClient'],
    ['uefi', { file: 'snponly.efi', siaddr: '10.1.0.1' }, 'PXEClient'],
    ['uefiHttp', { file: 'http://10.1.0.1:8089/boot/nbp/snponly.efi' }, 'HTTPClient'],
    ['ipxe', { file: SCRIPT }, undefined],
    ['arm', { file: '', siaddr: '0.0.0.0' }, undefined],
    ['system', { file: '', siaddr: '0.0.0.0' }, undefined],
  ] as const)('sends %s its boot file', async (client, fields, vendorClass) => {
    const offer = await serverOf()('discover', { mac: A!, client: CLIENTS[client] });
    expect(offer).toMatchObject({ ...fields, yiaddr: FIRST });
    expect(text(offer, Option.bootFile) ?? '').toBe(fields.file);
    expect(text(offer, Option.vendorClass)).toBe(vendorClass);
  });

  const ALL = {
    bios: 'undionly.kpxe',
    'uefi-ia32': 'ia32.efi',
    'uefi-x64': 'snponly.efi',
    'uefi-arm64': 'arm64.efi',
  };
  const URL = 'http://10.1.0.1:8089/boot/nbp';
  it.each([
    ['PXEClient', [0], 'undionly.kpxe'],
    ['PXEClient', [6], 'ia32.efi'],
    ['PXEClient', [7], 'snponly.efi'],
    ['PXEClient', [9], 'snponly.efi'],
    ['PXEClient', [11], 'arm64.efi'],
    ['PXEClient', [10, 11], 'arm64.efi'],
    ['HTTPClient', [15], `${URL}/ia32.efi`],
    ['HTTPClient', [16], `${URL}/snponly.efi`],
    ['HTTPClient', [19], `${URL}/arm64.efi`],
    ['PXEClient', [10], ''],
    ['HTTPClient', [18], ''],
    ['PXEClient', [4711], ''],
  ] as const)('sends %s of architecture %j its boot program', async (vendor, types, file) => {
    const client = {
      60: `${vendor}:Arch:00000:UNDI:003001`,
      93: types.flatMap((one) => [one >> 8, one & 255]),
    };
    const offer = await serverOf({ loaders: ALL })('discover', { mac: A!, client });
    expect([offer?.file, text(offer, Option.vendorClass)]).toEqual([file, file === '' ? undefined : vendor]);
    expect(warnings).toHaveLength(file === '' ? 1 : 0);
  });

  it('reports a firmware without a boot program, unless nothing is to be booted', async () => {
    const ask = serverOf();
    await ask('discover', { mac: A!, client: CLIENTS.arm });
    expect(facts).toEqual([{ mac: A, architectures: [11], platforms: ['uefi-arm64'] }]);
    fakes.decisions.set(A!, { kind: 'nothing', nodeUuid });
    await ask('discover', { mac: A!, client: CLIENTS.arm });
    expect(facts).toHaveLength(1);
  });

  it('tells iPXE not to wait for a ProxyDHCP', async () => {
    const offer = await serverOf()('discover', { mac: A! });
    expect(offer?.options.get(Option.ipxe)?.toString('hex')).toBe('b00101');
  });

  it('sends an address but no boot file when there is nothing to boot', async () => {
    fakes.decisions.set(A!, { kind: 'nothing', nodeUuid });
    const offer = await serverOf()('discover', { mac: A!, client: CLIENTS.uefi });
    expect(offer).toMatchObject({ yiaddr: FIRST, file: '', siaddr: '0.0.0.0' });
    expect(offer?.options.has(Option.bootFile)).toBe(false);
  });

  it('sends the script URL to a machine that boots its disk', async () => {
    fakes.decisions.set(A!, { kind: 'disk', nodeUuid });
    expect(await serverOf()('discover', { mac: A! })).toMatchObject({ file: SCRIPT });
  });

  it.each(['discover', 'request', 'inform', 'decline', 'release'] as const)(
    'does not answer a %s of an unknown machine',
    async (type) => {
      const options = { 50: addressOption(FIRST!) };
      expect(await serverOf()(type, { mac: STRANGER!, options })).toBeUndefined();
      expect(await fakes.leases.list()).toEqual([]);
      expect(fakes.seen()).toEqual([]);
    },
  );

  it.each([
    ['an answer of a server', { op: 2 as const }],
    ['another kind of network', { htype: 32 }],
    ['a type there is none of', { options: { 53: [13] } }],
    ['a type of two bytes', { options: { 53: [1, 1] } }],
  ])('does not answer %s', async (_name, more) => {
    expect(await serverOf()('discover', { mac: A!, ...more })).toBeUndefined();
  });

  it('leaves a REQUEST to another server alone', async () => {
    const options = { 50: addressOption(FIRST!), 54: addressOption('10.1.0.99') };
    expect(await serverOf()('request', { mac: A!, options })).toBeUndefined();
    expect(await fakes.leases.list()).toEqual([]);
  });

  it.each([
    ['of another network', '192.168.7.7', '192.168.7.7 is not in this network'],
    ['out of the range', '10.1.0.200', '10.1.0.200 is not yours'],
    ['of ours', '10.1.0.1', '10.1.0.1 is not yours'],
    ['of the router', '10.1.0.2', '10.1.0.2 is not yours'],
  ])('refuses an address: %s', async (_name, address, words) => {
    const nak = await serverOf()('request', { mac: A!, options: { 50: addressOption(address) } });
    expect([typeOf(nak), nak?.yiaddr, nak?.ciaddr, text(nak, Option.message)]).toEqual([
      'nak',
      '0.0.0.0',
      '0.0.0.0',
      words,
    ]);
    expect(destination(nak!)).toEqual({ address: '255.255.255.255', port: 68 });
  });

  it('refuses an address of another machine', async () => {
    const ask = serverOf();
    await ask('discover', { mac: A! });
    expect(typeOf(await ask('request', { mac: B!, options: { 50: addressOption(FIRST!) } }))).toBe('nak');
  });

  it('renews by unicast', async () => {
    const ask = serverOf();
    await ask('discover', { mac: A! });
    clock += 1_800_000;
    const ack = await ask('request', { mac: A!, client: CLIENTS.system, ciaddr: FIRST! });
    expect(ack).toMatchObject({ yiaddr: FIRST, ciaddr: FIRST });
    expect(destination(ack!)).toEqual({ address: FIRST, port: 68 });
    expect((await fakes.leases.byMac(A as Mac))?.expiresAt).toEqual(new Date(clock + 3_600_000));
  });

  it('never leases an address outside the network', async () => {
    const options = { 50: addressOption(FIRST!) };
    const nak = await serverOf()('request', { mac: A!, ciaddr: '8.8.8.8', options });
    expect([typeOf(nak), destination(nak!).address]).toEqual(['nak', '255.255.255.255']);
    expect(await serverOf()('inform', { mac: A!, ciaddr: '8.8.8.8' })).toBeUndefined();
  });

  it('answers an INFORM with everything but an address', async () => {
    const ack = await serverOf()('inform', { mac: A!, ciaddr: '10.1.0.77' });
    expect([typeOf(ack), ack?.yiaddr, text(ack, Option.bootFile)]).toEqual(['ack', '0.0.0.0', SCRIPT]);
    expect(ack?.options.has(Option.leaseTime)).toBe(false);
    expect(ack?.options.has(Option.subnetMask)).toBe(true);
    expect(decodeAddress(ack?.options.get(Option.broadcast))).toBe('10.1.0.255');
    expect(await serverOf()('inform', { mac: A! })).toBeUndefined();
  });

  it('leases the same address after RELEASE, and leases it to others only when no other is free', async () => {
    const ask = serverOf();
    await ask('discover', { mac: A! });
    await ask('release', { mac: A!, ciaddr: FIRST! });
    expect((await ask('discover', { mac: B! }))?.yiaddr).toBe(SECOND);
    expect((await ask('discover', { mac: A! }))?.yiaddr).toBe(FIRST);
    await ask('release', { mac: A!, ciaddr: FIRST! });
    expect((await ask('discover', { mac: C! }))?.yiaddr).toBe(FIRST);
  });

  it('ignores RELEASE and DECLINE of an address of another machine', async () => {
    const ask = serverOf();
    await take(ask, A!, FIRST!);
    await ask('release', { mac: B!, ciaddr: FIRST! });
    await ask('decline', { mac: B!, options: { 50: addressOption(FIRST!) } });
    expect((await fakes.leases.byMac(A as Mac))?.expiresAt).toEqual(new Date(clock + 3_600_000));
  });

  it('ignores a DECLINE to another server, and one without an address', async () => {
    const ask = serverOf();
    await take(ask, A!, FIRST!);
    await ask('decline', { mac: A!, options: { 50: addressOption(FIRST!), 54: addressOption('10.1.0.9') } });
    await ask('decline', { mac: A! });
    expect(warnings).toEqual([]);
    expect(await fakes.leases.byMac(A as Mac)).toMatchObject({ address: FIRST });
  });

  it('counts three DECLINEs of a machine in ten minutes; the next one changes nothing', async () => {
    const ask = serverOf({ dhcpRangeEnd: '10.1.0.9' });
    for (let nth = 0; nth < 4; nth++) {
      const address = (await ask('discover', { mac: A! }))!.yiaddr;
      await ask('decline', { mac: A!, options: { 50: addressOption(address) } });
    }
    expect(await fakes.leases.declined(new Date(clock))).toHaveLength(3);
    expect(warnings.at(-1)).toContain('keeps this one');
    clock += 600_000;
    const address = (await ask('discover', { mac: A! }))!.yiaddr;
    await ask('decline', { mac: A!, options: { 50: addressOption(address) } });
    expect(await fakes.leases.declined(new Date(clock))).toHaveLength(1);
  });

  it('does not lease a declined address for ten minutes, also after a restart', async () => {
    const ask = serverOf();
    await take(ask, A!, FIRST!);
    await ask('decline', { mac: A!, options: { 50: addressOption(FIRST!), 54: addressOption('10.1.0.1') } });
    expect(warnings[0]).toContain('another one uses this address');
    const restarted = serverOf();
    expect(typeOf(await restarted('request', { mac: A!, options: { 50: addressOption(FIRST!) } }))).toBe(
      'nak',
    );
    expect((await restarted('discover', { mac: A! }))?.yiaddr).toBe(SECOND);
    expect(await restarted('discover', { mac: B! })).toBeUndefined();
    expect(facts.at(-1)).toMatchObject({ addresses: 2, held: 1, declined: 1 });
    clock += 600_000;
    expect((await restarted('discover', { mac: B! }))?.yiaddr).toBe(FIRST);
  });

  it('keeps an offered address for a minute, a leased one for the lease time', async () => {
    const ask = serverOf();
    await ask('discover', { mac: A! });
    expect((await fakes.leases.byMac(A as Mac))?.expiresAt).toEqual(new Date(clock + 60_000));
    await take(ask, B!, SECOND!);
    clock += 60_000;
    expect((await ask('discover', { mac: C! }))?.yiaddr).toBe(FIRST);
    // A new offer does not change its lease.
    await ask('discover', { mac: B! });
    expect((await fakes.leases.byMac(B as Mac))?.expiresAt).toEqual(new Date(clock + 3_540_000));
  });

  it('keeps no address for a machine whose request it refuses', async () => {
    const ask = serverOf();
    const outside = { 50: addressOption('10.1.0.200') };
    expect(typeOf(await ask('request', { mac: A!, options: outside }))).toBe('nak');
    expect(await fakes.leases.list()).toEqual([]);
    await take(ask, A!, FIRST!);
    expect(typeOf(await ask('request', { mac: A!, options: { 50: addressOption(SECOND!) } }))).toBe('nak');
    expect((await fakes.leases.byMac(A as Mac))?.address).toBe(FIRST);
  });

  it('reports when no address is free, and continues when one is free again', async () => {
    const ask = serverOf();
    await ask('discover', { mac: A! });
    await ask('discover', { mac: B! });
    expect(await ask('discover', { mac: C! })).toBeUndefined();
    expect(warnings[0]).toContain('enlarge dhcp.range_start');
    expect(facts[0]).toEqual({
      ...{ mac: C, range: '10.1.0.1-10.1.0.4', addresses: 2, held: 2, declined: 0 },
    });
    clock += 60_000;
    expect((await ask('discover', { mac: C! }))?.yiaddr).toBe(FIRST);
  });

  it('answers through a relay of its network and copies the options of the relay', async () => {
    const options = { 82: [1, 4, 1, 2, 3, 4] };
    const offer = await serverOf()('discover', { mac: A!, giaddr: '10.1.0.250', options });
    expect(offer?.options.get(Option.relayAgent)?.toString('hex')).toBe('010401020304');
    expect(destination(offer!)).toEqual({ address: '10.1.0.250', port: 67 });
    const direct = await serverOf()('discover', { mac: A!, options });
    expect(direct?.options.has(Option.relayAgent)).toBe(false);
  });

  it('sets the broadcast flag in a refusal through a relay', async () => {
    const options = { 50: addressOption('192.168.7.7') };
    expect((await serverOf()('request', { mac: A!, giaddr: '10.1.0.250', options }))?.flags).toBe(0x8000);
  });

  it('leases no address through a relay of another network', async () => {
    expect(await serverOf()('discover', { mac: A!, giaddr: '172.16.0.1' })).toBeUndefined();
    expect(warnings[0]).toContain('another network');
  });

  it('repeats the client identifier (RFC 6842)', async () => {
    const offer = await serverOf()('discover', { mac: A!, options: { 61: [1, 2, 3] } });
    expect(offer?.options.get(Option.clientId)?.toString('hex')).toBe('010203');
  });

  it('sends a boot file name that is too long for the header only in the option', async () => {
    const httpBaseUrl = `http://${'a'.repeat(140)}.example:8089`;
    const offer = await serverOf({ httpBaseUrl })('discover', { mac: A! });
    expect([offer?.file, text(offer, Option.bootFile)?.startsWith(httpBaseUrl)]).toEqual(['', true]);
  });

  it('never sends more than every client accepts', async () => {
    const dhcpDns = Array.from({ length: 60 }, (_, i) => `10.1.1.${i + 1}`);
    const wide = serverOf({ dhcpDns });
    const options = { 61: Array(255).fill(1) as number[] };
    const offer = await wide('discover', { mac: A!, client: CLIENTS.uefi, options });
    expect(encodeDhcp(offer!).length).toBeLessThanOrEqual(1472);
    const usual = await wide('discover', { mac: A!, client: CLIENTS.uefi });
    expect(encodeDhcp(usual!).length).toBeLessThanOrEqual(548);
  });

  it('never leases one address twice', async () => {
    const machines = [A!, B!, C!];
    const act = fc.tuple(
      fc.constantFrom('discover' as const, 'request' as const, 'release' as const, 'decline' as const),
      fc.constantFrom(...machines),
      fc.integer({ min: 0, max: 6 }),
      fc.integer({ min: 0, max: 4000 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 30 }), async (acts) => {
        fakes = createBootFakes(Object.fromEntries(machines.map((mac) => [mac, RAMDISK])));
        const ask = serverOf();
        const holds = new Map<string, { mac: string; until: number }>();
        for (const [type, mac, last, seconds] of acts) {
          clock += seconds * 1000;
          const address = `10.1.0.${last}`;
          const options = type === 'release' ? {} : { 50: addressOption(address) };
          const reply = await ask(type, { mac, options, ...(type === 'release' ? { ciaddr: address } : {}) });
          const held = holds.get(address);
          if ((type === 'release' || type === 'decline') && held?.mac === mac) holds.delete(address);
          if (reply === undefined || typeOf(reply) !== 'ack') continue;
          const before = holds.get(reply.yiaddr);
          expect(before === undefined || before.mac === mac || before.until <= clock).toBe(true);
          expect([FIRST, SECOND]).toContain(reply.yiaddr);
          holds.set(reply.yiaddr, { mac, until: clock + 3_600_000 });
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('DHCP in mode proxy', () => {
  it.each([
    ['bios', 'undionly.kpxe'],
    ['uefi', 'snponly.efi'],
    ['ipxe', SCRIPT],
  ] as const)('offers %s a boot file but no address', async (client, file) => {
    const offer = await serverOf({ dhcpMode: 'proxy' })('discover', { mac: A!, client: CLIENTS[client] });
    expect(offer).toMatchObject({ yiaddr: '0.0.0.0', siaddr: '10.1.0.1', file });
    expect(text(offer, Option.vendorClass)).toBe('PXEClient');
    expect(offer?.options.get(Option.vendorSpecific)?.toString('hex')).toBe('060108ff');
    expect(offer?.options.get(Option.machineId)?.length).toBe(17);
    expect(offer?.options.has(Option.leaseTime)).toBe(false);
    expect(offer?.options.has(Option.subnetMask)).toBe(false);
    expect(await fakes.leases.list()).toEqual([]);
  });

  it('answers REQUEST on port 4011 but not on 67, where the other server answers', async () => {
    const ask = serverOf({ dhcpMode: 'proxy' });
    const fields = { mac: A!, client: CLIENTS.uefi, ciaddr: '10.1.0.77' };
    expect(await ask('request', fields)).toBeUndefined();
    expect(await ask('inform', fields)).toBeUndefined();
    const ack = await ask('request', fields, 'boot server');
    expect([typeOf(ack), ack?.yiaddr, ack?.file]).toEqual(['ack', '0.0.0.0', 'snponly.efi']);
  });

  it.each([
    ['an operating system', A!, CLIENTS.system, RAMDISK],
    ['an architecture without a program', A!, CLIENTS.arm, RAMDISK],
    ['a machine with nothing to boot', A!, CLIENTS.uefi, { kind: 'nothing', nodeUuid }],
    ['a stranger', STRANGER!, CLIENTS.uefi, { kind: 'unknown' }],
  ] as const)('does not answer %s', async (_name, mac, client, decision) => {
    fakes.decisions.set(mac, decision);
    const ask = serverOf({ dhcpMode: 'proxy' });
    expect(await ask('discover', { mac, client })).toBeUndefined();
    expect(await ask('request', { mac, client }, 'boot server')).toBeUndefined();
  });
});

it('DHCP in mode off does not answer', async () => {
  expect(await serverOf({ dhcpMode: 'off' })('discover', { mac: A! })).toBeUndefined();
});
