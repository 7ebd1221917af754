/**
 * One of each resource, and valid bodies. A request that is mostly valid passes more checks before its error is
 * found.
 */
const id = (number: number): string => `0e0e0e0e-0000-4000-8000-0000000000${String(number).padStart(2, '0')}`;
const NODE = id(1);
const TRAIT = 'CUSTOM_FUZZED';
const MAC = '52:54:00:00:00:04';

type Body = Readonly<Record<string, unknown>>;

/** Collection -> its resource. */
export const RESOURCES: Readonly<Record<string, Body & { readonly uuid: string }>> = {
  chassis: { uuid: id(2), description: 'a rack' },
  nodes: {
    uuid: NODE,
    driver: 'fake-hardware',
    name: 'n',
    resource_class: 'fuzzed',
    extra: { a: { b: [1] } },
    driver_info: { fake: 1 },
  },
  portgroups: { uuid: id(3), node_uuid: NODE, name: 'pg' },
  ports: { uuid: id(4), node_uuid: NODE, address: MAC },
  'volume/connectors': { uuid: id(5), node_uuid: NODE, type: 'iqn', connector_id: 'iqn.2020-01.example:n' },
  'volume/targets': { uuid: id(6), node_uuid: NODE, volume_type: 'iscsi', volume_id: 'v', boot_index: 0 },
  deploy_templates: {
    uuid: id(7),
    name: TRAIT,
    steps: [{ interface: 'bios', step: 's', args: {}, priority: 1 }],
  },
  inspection_rules: {
    uuid: id(12),
    conditions: [{ op: 'eq', args: { values: ['{inventory[cpu][count]}', 4] } }],
    actions: [{ op: 'set-attribute', args: { path: 'extra/a', value: '{node.name}' } }],
  },
  runbooks: { uuid: id(11), name: TRAIT, steps: [{ interface: 'bios', step: 's', args: {}, order: 1 }] },
  allocations: { uuid: id(8), resource_class: 'none-such', name: 'a' },
};

/** Word before the last parameter of a path -> a valid parameter. */
export const NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(RESOURCES).map(([path, { uuid }]) => [path.split('/').at(-1) ?? '', uuid]),
  ),
  heartbeat: NODE,
  drivers: 'fake-hardware',
  conductors: 'test-conductor',
  traits: TRAIT,
  indicators: 'led@system',
  vendor_passthru: 'second_method',
  history: id(9),
  vifs: id(10),
  bios: 'fake-setting',
};

/** Valid ids and words. */
export const WORDS: readonly string[] = [
  ...Object.values(NAMES),
  ...['ipmi', 'power on', 'power off', 'rebooting', 'manage', 'provide', 'active', 'deleted', 'clean'],
  ...['inspect', 'abort', 'adopt', 'rescue', 'pxe', 'disk', 'bios', 'uefi', 'ON', 'true', 'asc', 'uuid', MAC],
];

const renewed = (collection: string, change: Body): Body => {
  const { uuid: _, ...body } = RESOURCES[collection] ?? {};
  return { ...body, ...change };
};

const PROVISION = [
  ...[
    'manage',
    'manage',
    'manage',
    'provide',
    'provide',
    'active',
    'deleted',
    'inspect',
    'adopt',
    'abort',
  ].map((target) => ({ target })),
  { target: 'active', configdrive: { meta_data: { a: 1 }, user_data: 'x' } },
  { target: 'active', deploy_steps: [{ interface: 'deploy', step: 'deploy', args: {}, priority: 50 }] },
  { target: 'clean', clean_steps: [{ interface: 'deploy', step: 'erase_devices', args: {} }] },
  { target: 'rescue', rescue_password: 'secret' },
];

/** Operation -> valid bodies. */
export const EXAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  'POST /v1/chassis': [renewed('chassis', {})],
  'POST /v1/nodes': [
    renewed('nodes', { name: null }),
    { driver: 'ipmi', driver_info: { ipmi_address: 'x' } },
  ],
  'POST /v1/portgroups': [renewed('portgroups', { name: null })],
  'POST /v1/ports': [renewed('ports', { address: '52:54:00:00:00:05' }), renewed('ports', {})],
  'POST /v1/volume/connectors': [renewed('volume/connectors', { connector_id: 'other' })],
  'POST /v1/volume/targets': [renewed('volume/targets', { boot_index: 1 })],
  'POST /v1/deploy_templates': [renewed('deploy_templates', { name: 'CUSTOM_OTHER' })],
  'POST /v1/allocations': [renewed('allocations', { name: null }), { node: NODE }],
  'PUT /v1/nodes/{node}/states/power': [{ target: 'power on' }, { target: 'power off', timeout: 5 }],
  'PUT /v1/nodes/{node}/states/provision': PROVISION,
  'PUT /v1/nodes/{node}/states/raid': [{ logical_disks: [{ size_gb: 10, raid_level: '1' }] }],
  'PUT /v1/nodes/{node}/states/console': [{ enabled: true }, { enabled: false }],
  'PUT /v1/nodes/{node}/states/boot_mode': [{ target: 'uefi' }],
  'PUT /v1/nodes/{node}/states/secure_boot': [{ target: true }],
  'PUT /v1/nodes/{node}/management/boot_device': [{ boot_device: 'pxe', persistent: true }],
  'PUT /v1/nodes/{node}/management/indicators/{ident}': [{ state: 'ON' }],
  'PUT /v1/nodes/{node}/management/inject_nmi': [{}],
  'PUT /v1/nodes/{node}/maintenance': [{ reason: 'fuzzed' }],
  'PUT /v1/nodes/{node}/traits': [{ traits: [TRAIT, 'HW_CPU_X86_VMX'] }],
  'POST /v1/nodes/{node}/vifs': [{ id: id(10) }],
  'POST /v1/nodes/{node}/vendor_passthru/{method}': [{ bar: 'kazoo' }],
  'POST /v1/events': [
    {
      events: [
        { event: 'network.bind_port', port_id: id(11), mac_address: MAC, status: 'ACTIVE', device_id: '' },
      ],
    },
  ],
  'POST /v1/heartbeat/{node}': [
    { callback_url: 'http://127.0.0.1:9999', agent_token: 'none', agent_version: '10.0.0' },
  ],
  'POST /v1/continue_inspection': [
    {
      inventory: {
        interfaces: [{ name: 'eth0', mac_address: MAC }],
        memory: { physical_mb: 1024 },
        cpu: { count: 1, architecture: 'x86_64' },
        disks: [{ name: '/dev/sda', size: 10 ** 10 }],
      },
    },
  ],
};
