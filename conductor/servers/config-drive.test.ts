import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { networkOf, networkPortOf, serverOf, subnetOf } from '../../test/fakes/compute/records.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import { createConfigDriveBuilder } from '../images/config-drive.ts';
import type { ServerAddress } from '../network-service/server-networks.ts';
import { configDriveOf } from './config-drive.ts';

const network = networkOf();
const subnet = subnetOf({ networkUuid: network.uuid });
const port = networkPortOf({ networkUuid: network.uuid, macAddress: '52:54:00:00:00:0a' });
const ADDRESSES: readonly ServerAddress[] = [{ port, network, subnets: [subnet] }];
const EXTRAS = { networkData: { links: [] }, vendorData: null, availabilityZone: 'nova' };
const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');
const build = (fields: Parameters<typeof serverOf>[0], extras = {}, addresses = ADDRESSES) =>
  configDriveOf(serverOf(fields), addresses, { ...EXTRAS, ...extras });
const metaOf = (drive: JsonObject) => drive['meta_data'] as Readonly<Record<string, Json>>;

describe("a server's config drive", () => {
  it('omits missing values, as Nova does', () => {
    const uuid = randomUUID();
    expect(build({ uuid })).toEqual({
      meta_data: {
        uuid,
        hostname: 'web-1',
        name: 'web-1',
        launch_index: 0,
        availability_zone: 'nova',
        project_id: 'default',
        devices: [],
        dedicated_cpus: [],
      },
      network_data: { links: [] },
    });
  });

  it('contains all values', () => {
    const drive = build(
      {
        metadata: { role: 'db' },
        adminPass: 'secret',
        keyName: 'me',
        publicKey: 'ssh-ed25519 AAAA me',
        launchIndex: 2,
        personality: [{ path: '/etc/motd', contents: base64('hello') }],
        userData: base64('#cloud-config\n'),
      },
      { vendorData: { site: 'a' }, randomSeed: 'c2VlZA==' },
      [...ADDRESSES, { port: networkPortOf(), network, subnets: [], tag: 'front' }],
    );
    expect(drive).toMatchObject({
      user_data: '#cloud-config\n',
      vendor_data: { site: 'a' },
      files: { 'content/0000': base64('hello') },
      meta_data: {
        meta: { role: 'db' },
        admin_pass: 'secret',
        public_keys: { me: 'ssh-ed25519 AAAA me' },
        keys: [{ name: 'me', type: 'ssh', data: 'ssh-ed25519 AAAA me' }],
        files: [{ content_path: '/content/0000', path: '/etc/motd' }],
        launch_index: 2,
        random_seed: 'c2VlZA==',
        devices: [{ type: 'nic', mac: networkPortOf().macAddress, tags: ['front'] }],
      },
    });
    expect(() => createConfigDriveBuilder().validate(drive)).not.toThrow();
  });

  it('distinguishes a certificate from a key', () => {
    const drive = build({ keyName: 'me', publicKey: '-----BEGIN CERTIFICATE-----\n' });
    expect(metaOf(drive)['keys']).toMatchObject([{ type: 'x509' }]);
  });

  it('keeps user data that is not text byte for byte', () => {
    const gzip = base64(Uint8Array.from([0x1f, 0x8b, 0x08, 0, 255, 254]));
    const drive = build({ userData: gzip });
    expect([drive['user_data'], drive['files']]).toEqual([undefined, { 'latest/user_data': gzip }]);
  });
});
