import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin, member, reader } from '../../../../test/fakes/compute/cloud.ts';
import { imageOf } from '../../../../test/fakes/compute/records.ts';
import {
  createTestServersApi,
  SERVERS,
  type TestServersApi,
} from '../../../../test/fakes/compute/test-servers-api.ts';
import { generatePassword } from './admin-password.ts';

let test: TestServersApi;
beforeAll(async () => {
  test = await createTestServersApi();
});
afterAll(() => test.close());

const ANN = member('blue', 'ann');
const lastRequest = () => test.instances.calls.findLast(([verb]) => verb === 'create')?.[1];

describe('POST /servers', () => {
  it('answers like Nova with the new server', async () => {
    const { status, body, headers } = await test.create();
    expect(status).toBe(202);
    const { id } = body.server;
    expect(body).toEqual({
      server: {
        id,
        links: [
          { rel: 'self', href: `http://cloud.test/compute/v2.1/servers/${id}` },
          { rel: 'bookmark', href: `http://cloud.test/compute/servers/${id}` },
        ],
        'OS-DCF:diskConfig': 'MANUAL',
        security_groups: [{ name: 'default' }],
        adminPass: expect.stringMatching(/^[A-Za-z2-9]{12}$/),
      },
    });
    expect(headers['location']).toBe(`http://cloud.test/compute/v2.1/servers/${id}`);
    expect(lastRequest()).toMatchObject({
      requestId: headers['x-openstack-request-id'],
      description: 'web',
      requestedNetworks: 'auto',
      hasConfigDrive: true,
      minCount: 1,
      maxCount: 1,
      forcedPlace: null,
    });
  });

  it.each([
    [{ security_groups: [{ name: 'default' }, { name: 'web' }] }, 'Security group web is not found'],
    [{ 'OS-DCF:diskConfig': 'AUTO' }, 'AUTO is not supported by bare metal'],
  ])('refuses %j, which it could not do', async (fields, text) => {
    const { status, body } = await test.create(fields);
    expect([status, body.badRequest.message]).toEqual([400, expect.stringContaining(text)]);
  });

  it('stores addresses in canonical form', async () => {
    await test.create({ accessIPv6: '2001:DB8:0::1', 'OS-DCF:diskConfig': 'MANUAL' });
    expect(lastRequest()).toMatchObject({ accessIpv6: '2001:db8::1' });
  });

  it('passes on the whole request', async () => {
    await test.store.compute.keypairs.create(
      {
        uuid: randomUUID(),
        userId: 'ann',
        name: 'ann-key',
        type: 'ssh',
        publicKey: 'ssh-ed25519 A',
        fingerprint: 'f',
      },
      new Date(),
    );
    const group = await test.store.compute.serverGroups.create(
      {
        uuid: randomUUID(),
        projectId: 'blue',
        userId: 'ann',
        name: 'g',
        policy: 'affinity',
        maxServerPerHost: 1,
      },
      new Date(),
    );
    const hints = { group: group.uuid, same_host: randomUUID(), query: ['>=', '$free_ram_mb', 1], ours: 'x' };
    const { status, body } = await test.create(
      {
        flavorRef: 'http://cloud.test/compute/flavors/42',
        key_name: 'ann-key',
        metadata: { role: 'db' },
        tags: ['a', 'a', 'b'],
        description: 'a database',
        config_drive: 'no',
        user_data: Buffer.from('#!/bin/sh').toString('base64'),
        adminPass: 's3cret',
        min_count: '2',
        max_count: 3,
        networks: [{ uuid: test.network.uuid }],
        security_groups: [{ name: 'default' }],
        availability_zone: 'nova',
        accessIPv4: '192.0.2.1',
        return_reservation_id: true,
      },
      { as: ANN, minor: 73 },
      { 'os:scheduler_hints': { ...hints, query: JSON.stringify(hints.query) } },
    );
    expect(status, JSON.stringify(body)).toBe(202);
    expect(body).toEqual({ reservation_id: expect.stringMatching(/^r-/) });
    expect(lastRequest()).toMatchObject({
      tenant: { projectId: 'blue', userId: 'ann' },
      flavor: { uuid: '42' },
      keyName: 'ann-key',
      publicKey: 'ssh-ed25519 A',
      metadata: { role: 'db' },
      tags: ['a', 'b'],
      description: 'a database',
      hasConfigDrive: false,
      adminPass: 's3cret',
      minCount: 2,
      maxCount: 3,
      requestedNetworks: [{ networkUuid: test.network.uuid }],
      availabilityZone: 'nova',
      accessIpv4: '192.0.2.1',
      serverGroupUuid: group.uuid,
      schedulerHints: { ours: 'x' },
    });
  });

  it('lets administrators name the place', async () => {
    const asked = async (zone: string) => {
      const { status, body } = await test.create({ availability_zone: zone });
      expect(status, JSON.stringify(body)).toBe(202);
      return lastRequest();
    };
    expect(await asked('nova:conductor-1:node')).toMatchObject({
      availabilityZone: 'nova',
      forcedPlace: { host: 'conductor-1', nodename: 'node' },
    });
    expect(await asked('nova::node')).toMatchObject({ forcedPlace: { host: null, nodename: 'node' } });
  });

  it('accepts a local boot device as the image', async () => {
    const device = { source_type: 'image', destination_type: 'local', boot_index: 0, uuid: test.imageRef };
    const { status } = await test.create({
      block_device_mapping_v2: [{ ...device, delete_on_termination: true }],
    });
    expect(status).toBe(202);
  });

  const PORT = randomUUID();
  const volume = { source_type: 'volume', destination_type: 'volume', boot_index: 0, uuid: randomUUID() };
  it.each<[what: string, status: number, text: string, fields: object, minor?: number]>([
    ['no name', 400, 'name', { name: undefined }],
    ['an empty name', 400, 'name', { name: '' }],
    ['a long name', 400, 'name', { name: 'x'.repeat(256) }],
    ['a name with a control character', 400, 'name', { name: 'a\u0000b' }],
    ['no image', 400, 'Missing imageRef attribute', { imageRef: undefined }],
    ['an empty image', 400, 'Missing imageRef attribute', { imageRef: '' }],
    ['an image that is none', 400, "is not a 'uuid'", { imageRef: 'debian' }],
    ['an unknown image', 400, 'Can not find requested image', { imageRef: randomUUID() }],
    ['an unknown flavor', 400, 'Flavor 43 could not be found.', { flavorRef: 43 }],
    ['a flavor by name', 400, 'Flavor bm could not be found.', { flavorRef: 'bm' }],
    ['an unknown key', 400, 'Invalid key_name provided.', { key_name: 'none' }],
    ['fields that are none', 400, 'Additional properties are not allowed', { nmae: 'x' }],
    ['fields of later versions', 400, "'tags' was unexpected", { tags: [] }, 51],
    ['fields of earlier versions', 400, "'personality' was unexpected", { personality: [] }, 57],
    ['no networks', 400, "'networks' is a required property", { networks: undefined }, 37],
    ['networks in words', 400, 'networks', { networks: 'all' }, 37],
    ['a network that is none', 400, 'not in proper format', { networks: [{ uuid: 'rack' }] }],
    ['an unknown network', 400, 'could not be found', { networks: [{ uuid: PORT }] }],
    ['a network without an id', 400, "missing 'uuid'", { networks: [{}] }],
    ['a port twice', 400, 'specified twice', { networks: [{ port: PORT }, { port: PORT }] }],
    [
      'a port with an address',
      400,
      'cannot be specified together',
      { networks: [{ port: PORT, fixed_ip: '10.9.0.9' }] },
    ],
    ['many with one port', 400, 'single configured port', { networks: [{ port: PORT }], max_count: 2 }],
    [
      'many with one address',
      400,
      'max_count cannot be greater than 1',
      { networks: [{ uuid: PORT, fixed_ip: '10.9.0.9' }], max_count: 2 },
    ],
    ['less than none', 400, 'min_count', { min_count: 0 }],
    ['more at least than at most', 400, 'min_count must be <= max_count', { min_count: 3, max_count: 2 }],
    ['too many', 403, 'Quota exceeded for instances', { max_count: 1001 }],
    [
      'too much metadata',
      403,
      'Maximum number of metadata items',
      { metadata: Object.fromEntries(Array.from({ length: 129 }, (_, i) => [`k${i}`, ''])) },
    ],
    ['metadata that is no text', 400, 'a', { metadata: { a: 1 } }],
    ['user data that is not base64', 400, 'User data needs to be valid base 64', { user_data: '%%%' }],
    ['long user data', 400, 'user_data', { user_data: 'A'.repeat(65_536) }],
    [
      'many files',
      403,
      'Personality file limit exceeded',
      { personality: Array(6).fill({ path: '/a', contents: '' }) },
    ],
    [
      'a big file',
      403,
      'Personality file content limit',
      { personality: [{ path: '/a', contents: 'AAAA'.repeat(4000) }] },
    ],
    [
      'an unknown zone',
      400,
      'The requested availability zone is not available',
      { availability_zone: 'mars' },
    ],
    ['a zone in too many parts', 400, 'Unable to parse availability_zone', { availability_zone: 'a:b:c:d' }],
    [
      'a volume',
      400,
      'Volumes and block device mappings',
      { imageRef: undefined, block_device_mapping_v2: [volume] },
    ],
    [
      'a volume of old',
      400,
      'Volumes and block device mappings',
      { block_device_mapping: [{ volume_id: PORT }] },
    ],
    ['certificates', 400, 'trusted image certificates', { trusted_image_certificates: ['x'] }, 63],
    ['a bad address', 400, 'accessIPv4', { accessIPv4: '::1' }],
  ])('%s: %i', async (_, status, text, fields, minor) => {
    const answer = await test.create(fields, minor === undefined ? {} : { minor });
    const [[name, error]] = Object.entries(answer.body) as [[string, { code: number; message: string }]];
    expect([answer.status, name, error.code]).toEqual([
      status,
      status === 400 ? 'badRequest' : 'forbidden',
      status,
    ]);
    expect(error.message).toContain(text);
  });

  it('never repeats possible secrets in errors', async () => {
    for (const fields of [
      { adminPass: ['hunter2'] },
      { user_data: 'hunter2%' },
      { adminPass: 'hunter2'.repeat(99) },
    ]) {
      const { status, body } = await test.create(fields);
      expect(status).toBe(400);
      expect(JSON.stringify(body)).not.toContain('hunter2');
    }
  });

  it('rejects images that need a larger flavor, with the text of Nova', async () => {
    const refusal = async (fields: Parameters<typeof imageOf>[0]) => {
      const image = imageOf(fields);
      test.images.push(image);
      return (await test.create({ imageRef: image.uuid })).body.badRequest?.message;
    };
    const GIB = 1024 ** 3;
    expect(await refusal({ status: 'queued' })).toMatch(/^Image \S+ is not active\.$/);
    expect(await refusal({ minRamMb: 8193 })).toBe("Flavor's memory is too small for requested image.");
    expect(await refusal({ virtualSizeBytes: 41 * GIB })).toBe(
      `Flavor's disk is too small for requested image. Flavor disk is ${40 * GIB} bytes, image is ${41 * GIB} bytes.`,
    );
    expect(await refusal({ minDiskGb: 41 })).toBe(
      `Flavor's disk is smaller than the minimum size specified in image metadata. Flavor disk is ${40 * GIB} bytes, minimum size is ${41 * GIB} bytes.`,
    );
    expect(await refusal({ minDiskGb: 40, minRamMb: 8192, sizeBytes: 40 * GIB })).toBeUndefined();
  });

  it('is allowed for members, with resources that they may use', async () => {
    expect((await test.create({}, { as: reader('blue') })).status).toBe(403);
    expect((await test.create({}, { as: null })).status).toBe(401);
    expect(
      (await test.create({ availability_zone: 'nova:h' }, { as: ANN })).body.forbidden.message,
    ).toContain('os_compute_api:servers:create:forced_host');
    const group = await test.store.compute.serverGroups.create(
      {
        uuid: randomUUID(),
        projectId: 'red',
        userId: 'x',
        name: 'g',
        policy: 'affinity',
        maxServerPerHost: 1,
      },
      new Date(),
    );
    const hint = { 'os:scheduler_hints': { group: group.uuid } };
    expect((await test.create({}, { as: ANN }, hint)).body.badRequest.message).toBe(
      `Instance group ${group.uuid} could not be found.`,
    );
    await test.store.compute.flavors.create(
      {
        uuid: 'red',
        name: 'red',
        ...{ vcpus: 1, ramMb: 1, rootGb: 1, ephemeralGb: 0, swapMb: 0, rxtxFactor: 1 },
        isPublic: false,
        projects: ['red'],
      },
      new Date(),
    );
    expect((await test.create({ flavorRef: 'red' }, { as: ANN })).status).toBe(400);
    expect((await test.create({ flavorRef: 'red' }, { as: admin })).status).toBe(202);
    expect((await test.create({ flavorRef: 'red' }, { as: member('red') })).status).toBe(202);
  });

  it('generates different passwords', () => {
    const made = Array.from({ length: 50 }, generatePassword);
    expect(new Set(made).size).toBe(50);
    for (const password of made) for (const one of [/[2-9]/, /[A-Z]/, /[a-z]/]) expect(password).toMatch(one);
  });

  it('accepts the names of the API before microversions', async () => {
    const { status } = await test.call('POST', '/compute/v2/servers', {
      server: { name: ' web ', imageRef: test.imageRef, flavorRef: '42', unknown: 1 },
    });
    expect(status).toBe(202);
    expect(lastRequest()).toMatchObject({ name: 'web' });
    expect((await test.call('POST', SERVERS, 'null')).status).toBe(400);
  });
});
