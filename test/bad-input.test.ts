/**
 * Bad input from an operator. Each gets an error that names the field, what is wrong and what to do, and changes
 * nothing; good input afterwards works.
 */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Ask,
  addPort,
  createOperator,
  enroll,
  type Fixture,
  type Operator,
  patch,
  power,
  provision,
} from './fakes/operator.ts';
import { startTestConductor, type TestConductor } from './fakes/test-conductor.ts';

let test: TestConductor;
let operator: Operator;
beforeAll(async () => {
  test = await startTestConductor();
  operator = createOperator(test.call);
});
afterAll(() => test[Symbol.asyncDispose]());

const MEBI = 1024 * 1024;
const SHA256 = 'ab'.repeat(32);
const IMAGE = { image_source: 'http://192.0.2.9/os.qcow2', image_checksum: SHA256 };
interface Case {
  readonly given?: Fixture;
  readonly ask: Ask;
  readonly status?: number;
  /** The message contains all of these. */
  readonly says: readonly string[];
  /** The same request with good input. */
  readonly fixed: readonly Ask[];
}

const DEPLOYABLE: Fixture = {
  fields: { deploy_interface: 'direct', automated_clean: false, instance_info: IMAGE },
  verbs: ['manage', 'provide'],
};
const with_ = (fixture: Fixture, fields: object): Fixture => ({
  ...fixture,
  fields: { ...fixture.fields, ...fields },
});
const gz = (bytes: Buffer) => gzipSync(bytes, { level: 9 }).toString('base64');

const CASES: Readonly<Record<string, Case>> = {
  'an unknown driver': {
    ask: enroll({ driver: 'magic' }),
    says: ['"driver"', 'magic', 'ipmi, fake-hardware'],
    fixed: [enroll({ driver: 'ipmi' })],
  },
  'a node moved to an unknown driver': {
    ask: patch('/driver', 'magic'),
    says: ['"driver"', 'magic', 'ipmi, fake-hardware'],
    fixed: [patch('/driver', 'fake-hardware')],
  },
  'an interface the driver does not have': {
    ask: enroll({ driver: 'ipmi', deploy_interface: 'ansible' }),
    says: ['"deploy_interface"', 'ansible', 'one of: direct'],
    fixed: [enroll({ driver: 'ipmi', deploy_interface: 'direct' })],
  },
  'a node moved to an interface its driver does not have': {
    ask: patch('/boot_interface', 'redfish-virtual-media'),
    says: ['"boot_interface"', 'redfish-virtual-media', 'one of: fake, ipxe, pxe'],
    fixed: [patch('/boot_interface', 'ipxe')],
  },
  'a node name that cannot be in a URL': {
    ask: enroll({ driver: 'fake-hardware', name: 'rack 1/node 2' }),
    says: ['rack 1/node 2', 'letters, digits'],
    fixed: [enroll({ driver: 'fake-hardware', name: 'rack-1.node-2' })],
  },
  'a node name that is taken': {
    given: { fields: { name: 'taken' } },
    ask: enroll({ driver: 'fake-hardware', name: 'taken' }),
    status: 409,
    says: ['name taken', 'already exists'],
    fixed: [enroll({ driver: 'fake-hardware', name: 'not-taken' })],
  },
  'driver_info that is not an object': {
    ask: enroll({ driver: 'ipmi', driver_info: 'ipmi_address=192.0.2.1' }),
    says: ['driver_info', 'must be an object'],
    fixed: [enroll({ driver: 'ipmi', driver_info: { ipmi_address: '192.0.2.1' } })],
  },
  'a patch of an attribute that nodes do not have': {
    ask: patch('/propertys/cpus', 4),
    says: ['/propertys/cpus', 'properties', 'driver_info'],
    fixed: [patch('/properties/cpus', 4)],
  },
  'a patch below a key that does not exist': {
    ask: ({ node }) => [
      'PATCH',
      `/v1/nodes/${node}`,
      [{ op: 'replace', path: '/properties/cpus', value: 4 }],
    ],
    says: ['replace /properties/cpus', 'non-existent', '"cpus"', '"add"'],
    fixed: [patch('/properties/cpus', 4)],
  },
  'an invalid MAC address': {
    ask: addPort({ address: '52:54:00:zz:00:01' }),
    says: ['"address"', '52:54:00:zz:00:01', 'six pairs of hex digits'],
    fixed: [addPort({ address: '52:54:00:aa:00:01' })],
  },
  'a MAC address that another node has': {
    given: { port: true },
    ask: ({ node, mac }) => ['POST', '/v1/ports', { node_uuid: node, address: mac }],
    status: 409,
    says: ['MAC address 52:54:00', 'of node', 'delete that one first', '"address"'],
    fixed: [addPort({ address: '52:54:00:aa:00:02' })],
  },
  'manage without driver_info': {
    given: { driver: 'ipmi' },
    ask: provision({ target: 'manage' }),
    says: ['power interface', 'driver_info.ipmi_address', 'required'],
    fixed: [patch('/driver_info/ipmi_address', '127.0.0.1'), provision({ target: 'manage' })],
  },
  'a BMC port out of range': {
    given: { driver: 'ipmi', fields: { driver_info: { ipmi_address: '127.0.0.1', ipmi_port: 70_000 } } },
    ask: provision({ target: 'manage' }),
    says: ['driver_info.ipmi_port', '70000', '1 to 65535'],
    fixed: [patch('/driver_info/ipmi_port', 623), provision({ target: 'manage' })],
  },
  'a BMC address of the wrong type': {
    given: { driver: 'ipmi', fields: { driver_info: { ipmi_address: ['127.0.0.1'] } } },
    ask: provision({ target: 'manage' }),
    says: ['driver_info.ipmi_address', 'must be a string'],
    fixed: [patch('/driver_info/ipmi_address', '127.0.0.1'), provision({ target: 'manage' })],
  },
  'an unknown cipher suite': {
    given: { driver: 'ipmi', fields: { driver_info: { ipmi_address: '127.0.0.1', ipmi_cipher_suite: 0 } } },
    ask: provision({ target: 'manage' }),
    says: ['driver_info.ipmi_cipher_suite', '17 or 3', 'not 0'],
    fixed: [patch('/driver_info/ipmi_cipher_suite', 3), provision({ target: 'manage' })],
  },
  'power without driver_info': {
    given: { driver: 'ipmi' },
    ask: power('power on'),
    says: ['driver_info.ipmi_address', 'required'],
    fixed: [patch('/driver_info/ipmi_address', '127.0.0.1'), power('power on')],
  },
  'a verb that does not exist': {
    ask: provision({ target: 'start' }),
    says: ['"start"', 'Legal now: manage'],
    fixed: [provision({ target: 'manage' })],
  },
  'a verb that the state does not allow': {
    given: { verbs: ['manage'] },
    ask: provision({ target: 'active' }),
    says: ['"active"', 'state "manageable"', 'Legal now: provide, inspect, clean, adopt'],
    fixed: [provision({ target: 'provide' })],
  },
  'provide without a port': {
    given: { fields: { boot_interface: 'ipxe' }, verbs: ['manage'] },
    ask: provision({ target: 'provide' }),
    says: ['boot interface', 'no port with pxe_enabled', 'create one with the MAC address'],
    fixed: [addPort({ address: '52:54:00:aa:00:03' }), provision({ target: 'provide' })],
  },
  'a root device hint that does not exist': {
    ask: patch('/properties/root_device', { capacity: 100 }),
    says: ['properties.root_device.capacity', 'hints are', 'serial', 'size'],
    fixed: [patch('/properties/root_device', { size: '>= 100' })],
  },
  'a root device hint with an unknown operator': {
    ask: patch('/instance_info/root_device', { model: '=~ SAMSUNG.*' }),
    says: ['instance_info.root_device.model', '=~ SAMSUNG.*', 'unknown operator', '<in>'],
    fixed: [patch('/instance_info/root_device', { model: '<in> SAMSUNG' })],
  },
  'a root device size that is not a number': {
    ask: patch('/properties/root_device', { size: '100GB' }),
    says: ['properties.root_device.size', '100GB', 'number of GiB', '>='],
    fixed: [patch('/properties/root_device', { size: 100 })],
  },
  'root device hints in a new node': {
    ask: enroll({ driver: 'fake-hardware', properties: { root_device: '/dev/sda' } }),
    says: ['properties.root_device', 'must be an object of hints'],
    fixed: [enroll({ driver: 'fake-hardware', properties: { root_device: { name: '/dev/sda' } } })],
  },
  ...deployCase('no image', { image_source: undefined }, ['instance_info.image_source', 'missing', 'URL']),
  ...deployCase('an image of another scheme', { image_source: 'ftp://192.0.2.9/os.qcow2' }, [
    'image_source',
    'http, https or file URL',
    'scheme "ftp"',
  ]),
  ...deployCase('an md5 checksum', { image_checksum: 'ab'.repeat(16) }, [
    'image_checksum',
    'md5',
    'sha256',
    'images.allow_md5',
  ]),
  ...deployCase('an image that is not a URL', { image_source: 'debian-12' }, [
    'image_source',
    'http, https or file URL',
    'not a URL',
    'whole URL',
  ]),
  ...deployCase('a file image, which the settings do not allow', { image_source: 'file:///srv/os.qcow2' }, [
    'image_source',
    'images.file_allow',
  ]),
  ...deployCase('no checksum', { image_checksum: undefined }, ['image_checksum', 'image_os_hash_value']),
  ...deployCase('a checksum of unknown length', { image_checksum: 'ab'.repeat(20) }, [
    'image_checksum',
    'sha256 (64 hex digits)',
    '40 characters',
    'copy it',
  ]),
  ...deployCase(
    'a checksum whose length does not fit its algorithm',
    { image_checksum: undefined, image_os_hash_algo: 'sha512', image_os_hash_value: SHA256 },
    ['image_os_hash_value', 'sha512 (128 hex digits)', '64 characters'],
  ),
  ...deployCase(
    'an unknown hash algorithm',
    { image_checksum: undefined, image_os_hash_algo: 'crc32', image_os_hash_value: 'abcd' },
    ['image_os_hash_algo', '"crc32"', 'md5, sha256, sha512'],
  ),
  ...deployCase('a hash without its algorithm', { image_checksum: undefined, image_os_hash_value: SHA256 }, [
    'image_os_hash_algo',
    'given together',
  ]),
  ...deployCase('an unknown disk format', { image_disk_format: 'vmdk' }, [
    'image_disk_format',
    'raw or qcow2',
    'vmdk',
  ]),
  'a config drive that is not JSON': driveCase('{"meta_data": ', ['configdrive', 'JSON', 'base64']),
  'a config drive that is base64 of an unknown format': driveCase('bm90IGEgZHJpdmU=', [
    'configdrive',
    'JSON',
    'base64',
    'ISO 9660',
  ]),
  'a config drive without a file system': driveCase(gz(Buffer.alloc(4096, 'x')), [
    'configdrive',
    'ISO 9660',
    'FAT',
  ]),
  'a config drive with unknown parts': driveCase({ userdata: 'x' }, [
    'configdrive',
    '"userdata"',
    'user_data',
  ]),
  'a config drive too big once unpacked': driveCase(gz(Buffer.alloc(64 * MEBI + 1)), [
    'configdrive',
    '64 MiB',
  ]),
  'an invalid stored config drive': {
    given: with_(DEPLOYABLE, { instance_info: { ...IMAGE, configdrive: 'bm90IGEgZHJpdmU=' } }),
    ask: provision({ target: 'active' }),
    says: ['configdrive', 'JSON', 'base64'],
    fixed: [patch('/instance_info/configdrive', { user_data: 'x' }), provision({ target: 'active' })],
  },
};

/** A deployment that is rejected because of one field of instance_info, and accepted with the correct value. */
function deployCase(what: string, wrong: object, says: readonly string[]): Record<string, Case> {
  return {
    [`a deploy with ${what}`]: {
      given: with_(DEPLOYABLE, { instance_info: { ...IMAGE, ...wrong } }),
      ask: provision({ target: 'active' }),
      says: ['deploy interface', ...says],
      fixed: [patch('/instance_info', IMAGE), provision({ target: 'active' })],
    },
  };
}

function driveCase(configdrive: unknown, says: readonly string[]): Case {
  return {
    given: DEPLOYABLE,
    ask: provision({ target: 'active', configdrive }),
    says,
    fixed: [provision({ target: 'active', configdrive: { user_data: 'x' } })],
  };
}

describe('an error names what is wrong, and nothing changes', () => {
  it.each(Object.entries(CASES))('%s', async (_, { given = {}, ask, status = 400, says, fixed }) => {
    const made = await operator.make(given);
    const before = await operator.seen(made);
    const nodes = (await test.call('GET', '/v1/nodes')).body.nodes.length;
    const answer = await test.call(...ask(made));
    for (const words of says) expect(answer.error).toContain(words);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body.error_message)).toMatchObject({ faultcode: 'Client', debuginfo: null });
    expect(await operator.seen(made)).toEqual(before);
    expect((await test.call('GET', '/v1/nodes')).body.nodes).toHaveLength(nodes);
    expect(await test.store.operations.current(made.node)).toBeUndefined();
    await operator.ask(made, ...fixed);
  });

  it('a body that is larger than the path allows', async () => {
    const made = await operator.make({});
    const before = await operator.seen(made);
    const huge = { headers: { 'content-length': String(64 * MEBI + 1) } };
    const drive = await test.call(...provision({ target: 'active' })(made), huge);
    expect(drive).toMatchObject({
      status: 413,
      error: expect.stringMatching(/64 MiB.*a smaller configdrive/),
    });
    const extra = await test.call(...patch('/extra/a', 1)(made), huge);
    expect(extra).toMatchObject({ status: 413, error: expect.stringMatching(/1 MiB.*PATCH .*: send less/) });
    expect(await operator.seen(made)).toEqual(before);
  });
});

describe('validate names what is missing and changes nothing', () => {
  const no = (words: string) => ({ result: false, reason: expect.stringContaining(words) });

  it('of the node, by interface', async () => {
    const made = await operator.make({ driver: 'ipmi' });
    const before = await operator.seen(made);
    expect((await test.call('GET', `/v1/nodes/${made.node}/validate`)).body).toMatchObject({
      power: no('driver_info.ipmi_address'),
      management: no('driver_info.ipmi_address'),
      boot: no('no port with pxe_enabled'),
      deploy: no('image_source'),
      network: { result: true },
    });
    expect(await operator.seen(made)).toEqual(before);
  });

  it('of the conductor: its ramdisk', async () => {
    await using bare = await startTestConductor({ missingBootFile: '/data/ramdisk/vmlinuz' });
    const made = await createOperator(bare.call).make({ fields: { boot_interface: 'ipxe' }, port: true });
    const { boot } = (await bare.call('GET', `/v1/nodes/${made.node}/validate`)).body;
    expect(boot).toEqual(no('no deploy ramdisk: /data/ramdisk/vmlinuz is not there'));
    expect(boot).toEqual(no('"ingot ramdisk build"'));
  });
});
