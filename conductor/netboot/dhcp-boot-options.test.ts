import { Option } from '@ingot/shared/codec/dhcp/options.ts';
import { describe, expect, it } from 'vitest';
import { CLIENTS, type ClientOptions, dhcpRequest } from '../../test/fakes/netboot/dhcp-client.ts';
import type { BootDecision, Mac } from '../domain/boot.ts';
import { addBoot, firmwareWithoutLoader } from './dhcp-boot-options.ts';
import type { DhcpSettings } from './dhcp-settings.ts';

const mac = '52:54:00:00:00:0a' as Mac;
const SETTINGS: DhcpSettings = {
  dhcpMode: 'reservation',
  address: '10.1.0.1',
  netmask: '255.255.255.0',
  dhcpRangeStart: '10.1.0.10',
  dhcpRangeEnd: '10.1.0.20',
  dhcpRouter: null,
  dhcpDns: [],
  dhcpLeaseMs: 3_600_000,
  loaders: { bios: 'undionly.kpxe', 'uefi-x64': 'snponly.efi', 'uefi-arm64': null },
  httpBaseUrl: 'http://10.1.0.1:8089',
};
const RAMDISK: BootDecision = { kind: 'ramdisk', nodeUuid: 'n1', kernelParams: [] };
const SCRIPT = 'http://10.1.0.1:8089/boot/script.ipxe?mac=52-54-00-00-00-0a';
const NO_PROXY_DHCP = [176, 1, 1];
const START_AT_ONCE = [6, 1, 8, 255];
const MACHINE_ID = CLIENTS.bios[97];

/** The boot file and the options that were added to an answer. */
function boot(client: ClientOptions, more: Partial<DhcpSettings> = {}, decision = RAMDISK) {
  const options = new Map<number, Buffer>();
  const settings = { ...SETTINGS, ...more };
  const file = addBoot(options, dhcpRequest('discover', { mac, client }), settings, { mac, decision });
  const text = (code: number) => options.get(code)?.toString('latin1');
  const bytes = (code: number) => options.get(code) && [...options.get(code)!];
  return {
    file,
    fileOption: text(Option.bootFile),
    vendorClass: text(Option.vendorClass),
    discovery: bytes(Option.vendorSpecific),
    machineId: bytes(Option.machineId),
    ipxe: bytes(Option.ipxe),
    server: text(Option.tftpServer),
  };
}
const NOTHING = { file: '' };
const PXE = {
  vendorClass: 'PXEClient',
  discovery: START_AT_ONCE,
  machineId: MACHINE_ID,
  server: '10.1.0.1',
};
const given = (file: string, more: object) => ({ file, fileOption: file, ...more });

describe.each(['reservation', 'proxy'] as const)('in mode %s', (dhcpMode) => {
  it.each([
    ['PXE of BIOS', CLIENTS.bios, given('undionly.kpxe', PXE)],
    ['PXE of UEFI', CLIENTS.uefi, given('snponly.efi', PXE)],
    [
      'HTTP boot of UEFI',
      CLIENTS.uefiHttp,
      given('http://10.1.0.1:8089/boot/nbp/snponly.efi', { vendorClass: 'HTTPClient' }),
    ],
    ['PXE of a platform without a program', CLIENTS.arm, NOTHING],
    ['an operating system', CLIENTS.system, NOTHING],
  ])('%s', (_, client, answer) => {
    expect(boot(client, { dhcpMode })).toEqual(answer);
  });
});

describe('iPXE', () => {
  it('gets the script of its machine, and need not wait for a ProxyDHCP', () => {
    expect(boot(CLIENTS.ipxe)).toEqual(given(SCRIPT, { ipxe: NO_PROXY_DHCP }));
  });

  it('takes an answer of a ProxyDHCP only from a PXE server', () => {
    const { server: _, ...pxe } = PXE;
    expect(boot(CLIENTS.ipxe, { dhcpMode: 'proxy' })).toEqual(given(SCRIPT, pxe));
  });
});

it.each<[BootDecision['kind']]>([['nothing'], ['unknown']])(
  'with the decision %s there is no file',
  (kind) => {
    const decision = { kind } as BootDecision;
    expect(boot(CLIENTS.bios, {}, decision)).toEqual(NOTHING);
    expect(boot(CLIENTS.ipxe, {}, decision)).toEqual({ file: '', ipxe: NO_PROXY_DHCP });
  },
);

it('a machine id of another length is not repeated', () => {
  expect(boot({ ...CLIENTS.bios, 97: [0, 1, 2] }).machineId).toBeUndefined();
});

it('of several architectures the first with a program counts', () => {
  expect(boot({ ...CLIENTS.bios, 93: [0, 11, 0, 7, 0, 0] }).file).toBe('snponly.efi');
});

describe('firmware without a program', () => {
  const missing = (client: ClientOptions, decision: BootDecision = RAMDISK) =>
    firmwareWithoutLoader(dhcpRequest('discover', { mac, client }), SETTINGS, decision);

  it('is named by its architectures', () => {
    expect(missing(CLIENTS.arm)).toEqual({ architectures: [11], platforms: ['uefi-arm64'] });
    expect(missing({ ...CLIENTS.uefiHttp, 93: [0, 99] })).toEqual({
      architectures: [99],
      platforms: ['unknown'],
    });
  });

  it.each([
    ['that has one', CLIENTS.bios],
    ['of iPXE', { ...CLIENTS.ipxe, 93: [0, 11] }],
    ['of an operating system', CLIENTS.system],
  ])('is none %s', (_, client) => {
    expect(missing(client)).toBeUndefined();
  });

  it.each(['nothing', 'unknown'] as const)('does not matter with the decision %s', (kind) => {
    expect(missing(CLIENTS.arm, { kind } as BootDecision)).toBeUndefined();
  });
});
