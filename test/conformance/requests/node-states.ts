/** Power, maintenance, console, RAID, boot mode, boot device, interrupts and indicators of a node. */
import {
  type ConformanceRequest,
  del,
  enroll,
  get,
  nodeIs,
  patch,
  put,
  type RequestGroup,
  replace,
} from '../request.ts';

const ABSENT = '6a8b3c1e-0000-4000-8000-00000000ffff';
const power = (
  title: string,
  target: unknown,
  more: object = {},
  options: Partial<ConformanceRequest> = {},
) => put(title, '/v1/nodes/{node}/states/power', { target, ...more }, options);
const isOn = { until: nodeIs({ power_state: 'power on', target_power_state: null }) };
const isOff = { until: nodeIs({ power_state: 'power off', target_power_state: null }) };

export const nodePower: RequestGroup = {
  name: 'node-power',
  requests: [
    enroll(),
    power('on when enrolled', 'power on', {}, isOn),
    power('on when on', 'power on', {}, isOn),
    power('off', 'power off', {}, isOff),
    power('reboot', 'rebooting', {}, isOn),
    power('soft reboot', 'soft rebooting', {}, isOn),
    power('soft off with timeout', 'soft power off', { timeout: 5 }, isOff),
    power('an unknown target', 'sleep'),
    power('no target', null),
    put('an empty body', '/v1/nodes/{node}/states/power', {}),
    power('reboot by its verb', 'reboot'),
    power('soft before it was', 'soft power off', {}, { v: 26 }),
    power('timeout before it was', 'power off', { timeout: 5 }, { v: 26 }),
    power('timeout zero', 'power off', { timeout: 0 }),
    power('timeout negative', 'power off', { timeout: -1 }),
    power('timeout of words', 'power off', { timeout: 'x' }),
    power('timeout null', 'power off', { timeout: null }, isOff),
    power('an unknown key', 'power off', { colour: 1 }),
    put('an absent node', `/v1/nodes/${ABSENT}/states/power`, { target: 'power on' }),
    get('GET on power', '/v1/nodes/{node}/states/power'),
    get('states', '/v1/nodes/{node}/states'),
    get('states of an absent node', `/v1/nodes/${ABSENT}/states`),
    get('states with fields', '/v1/nodes/{node}/states?fields=power_state'),
    power('at 1.1', 'power on', {}, { v: 1, ...isOn }),
  ],
};

export const nodeMaintenance: RequestGroup = {
  name: 'node-maintenance',
  requests: [
    enroll(),
    put('with reason', '/v1/nodes/{node}/maintenance', { reason: 'dust' }),
    get('with reason shown', '/v1/nodes/{node}?fields=maintenance,maintenance_reason,fault'),
    put('again', '/v1/nodes/{node}/maintenance', { reason: 'more dust' }),
    put('empty body', '/v1/nodes/{node}/maintenance', {}),
    get('empty body shown', '/v1/nodes/{node}?fields=maintenance,maintenance_reason,fault'),
    put('no body', '/v1/nodes/{node}/maintenance', ''),
    put('a null reason', '/v1/nodes/{node}/maintenance', { reason: null }),
    put('a number for a reason', '/v1/nodes/{node}/maintenance', { reason: 5 }),
    put('an unknown key', '/v1/nodes/{node}/maintenance', { colour: 1 }),
    put('an absent node', `/v1/nodes/${ABSENT}/maintenance`, {}),
    del('off', '/v1/nodes/{node}/maintenance'),
    get('off shown', '/v1/nodes/{node}?fields=maintenance,maintenance_reason,fault'),
    del('off again', '/v1/nodes/{node}/maintenance'),
    get('GET', '/v1/nodes/{node}/maintenance'),
    patch('on by PATCH', '/v1/nodes/{node}', [replace('/maintenance', true)]),
    patch('off by PATCH', '/v1/nodes/{node}', [replace('/maintenance', false)]),
  ],
};

const manage = put(
  'manage',
  '/v1/nodes/{node}/states/provision',
  { target: 'manage' },
  { until: nodeIs({ provision_state: 'manageable' }) },
);

export const nodeConsole: RequestGroup = {
  name: 'node-console',
  requests: [
    enroll('enroll', { console_interface: 'fake' }),
    get('at first', '/v1/nodes/{node}/states/console'),
    put(
      'on',
      '/v1/nodes/{node}/states/console',
      { enabled: true },
      { until: nodeIs({ console_enabled: true }) },
    ),
    get('when on', '/v1/nodes/{node}/states/console'),
    put(
      'on again',
      '/v1/nodes/{node}/states/console',
      { enabled: true },
      { until: nodeIs({ console_enabled: true }) },
    ),
    patch('driver while on', '/v1/nodes/{node}', [replace('/driver', 'ipmi')]),
    put(
      'off',
      '/v1/nodes/{node}/states/console',
      { enabled: false },
      { until: nodeIs({ console_enabled: false }) },
    ),
    put(
      'by word',
      '/v1/nodes/{node}/states/console',
      { enabled: 'true' },
      { until: nodeIs({ console_enabled: true }) },
    ),
    put(
      'off by word',
      '/v1/nodes/{node}/states/console',
      { enabled: 'off' },
      { until: nodeIs({ console_enabled: false }) },
    ),
    put('by a bad word', '/v1/nodes/{node}/states/console', { enabled: 'perhaps' }),
    put('empty', '/v1/nodes/{node}/states/console', {}),
    put('an unknown key', '/v1/nodes/{node}/states/console', { enabled: true, colour: 1 }),
    put('an absent node', `/v1/nodes/${ABSENT}/states/console`, { enabled: true }),
    enroll('one without console', { console_interface: 'no-console' }, 'silent'),
    get('without console', '/v1/nodes/{silent}/states/console'),
    put('on without console', '/v1/nodes/{silent}/states/console', { enabled: true }),
  ],
};

export const nodeRaid: RequestGroup = {
  name: 'node-raid',
  requests: [
    enroll('enroll', { raid_interface: 'fake' }),
    get('GET', '/v1/nodes/{node}/states/raid'),
    put('a RAID-1', '/v1/nodes/{node}/states/raid', {
      logical_disks: [{ size_gb: 100, raid_level: '1', is_root_volume: true }],
    }),
    get('the node', '/v1/nodes/{node}?fields=raid_config,target_raid_config'),
    get('the states', '/v1/nodes/{node}/states'),
    put('none', '/v1/nodes/{node}/states/raid', {}),
    get('the node again', '/v1/nodes/{node}?fields=raid_config,target_raid_config'),
    put('no level', '/v1/nodes/{node}/states/raid', { logical_disks: [{ size_gb: 100 }] }),
    put('no size', '/v1/nodes/{node}/states/raid', { logical_disks: [{ raid_level: '1' }] }),
    put('a bad level', '/v1/nodes/{node}/states/raid', { logical_disks: [{ size_gb: 1, raid_level: '99' }] }),
    put('a bad size', '/v1/nodes/{node}/states/raid', { logical_disks: [{ size_gb: -1, raid_level: '1' }] }),
    put('two root volumes', '/v1/nodes/{node}/states/raid', {
      logical_disks: [1, 2].map(() => ({ size_gb: 1, raid_level: '1', is_root_volume: true })),
    }),
    put('an unknown key', '/v1/nodes/{node}/states/raid', { colour: 1 }),
    put('no disks', '/v1/nodes/{node}/states/raid', { logical_disks: [] }),
    put('MAX', '/v1/nodes/{node}/states/raid', {
      logical_disks: [
        { size_gb: 'MAX', raid_level: '5', controller: 'software', physical_disks: [{ size: '> 100' }] },
      ],
    }),
    put(
      'before it was',
      '/v1/nodes/{node}/states/raid',
      { logical_disks: [{ size_gb: 100, raid_level: '1' }] },
      { v: 11 },
    ),
    enroll('one without RAID', { raid_interface: 'no-raid' }, 'plain'),
    put('without RAID', '/v1/nodes/{plain}/states/raid', {
      logical_disks: [{ size_gb: 100, raid_level: '1' }],
    }),
    get('properties of logical disks', '/v1/drivers/fake-hardware/raid/logical_disk_properties'),
    get('properties before they were', '/v1/drivers/fake-hardware/raid/logical_disk_properties', { v: 11 }),
    get('properties of an unknown driver', '/v1/drivers/magic/raid/logical_disk_properties'),
  ],
};

export const nodeBootMode: RequestGroup = {
  name: 'node-boot-mode',
  requests: [
    enroll(),
    get('states', '/v1/nodes/{node}/states'),
    get('states before they were', '/v1/nodes/{node}/states', { v: 74 }),
    manage,
    put(
      'uefi',
      '/v1/nodes/{node}/states/boot_mode',
      { target: 'uefi' },
      { until: nodeIs({ provision_state: 'manageable' }) },
    ),
    put('a bad mode', '/v1/nodes/{node}/states/boot_mode', { target: 'coreboot' }),
    put('no mode', '/v1/nodes/{node}/states/boot_mode', {}),
    put('before it was', '/v1/nodes/{node}/states/boot_mode', { target: 'uefi' }, { v: 75 }),
    put(
      'secure boot',
      '/v1/nodes/{node}/states/secure_boot',
      { target: true },
      { until: nodeIs({ provision_state: 'manageable' }) },
    ),
    put('secure boot by word', '/v1/nodes/{node}/states/secure_boot', { target: 'false' }),
    put('secure boot by a bad word', '/v1/nodes/{node}/states/secure_boot', { target: 'perhaps' }),
    put('secure boot of nothing', '/v1/nodes/{node}/states/secure_boot', {}),
    put('secure boot before it was', '/v1/nodes/{node}/states/secure_boot', { target: true }, { v: 75 }),
    put('an absent node', `/v1/nodes/${ABSENT}/states/boot_mode`, { target: 'uefi' }),
    get('GET boot mode', '/v1/nodes/{node}/states/boot_mode'),
    get('GET secure boot', '/v1/nodes/{node}/states/secure_boot'),
  ],
};

export const nodeManagement: RequestGroup = {
  name: 'node-management',
  requests: [
    enroll(),
    get('boot device', '/v1/nodes/{node}/management/boot_device'),
    put('pxe', '/v1/nodes/{node}/management/boot_device', { boot_device: 'pxe', persistent: true }),
    get('boot device after', '/v1/nodes/{node}/management/boot_device'),
    put('without persistent', '/v1/nodes/{node}/management/boot_device', { boot_device: 'pxe' }),
    put('persistent by word', '/v1/nodes/{node}/management/boot_device', {
      boot_device: 'pxe',
      persistent: 'yes',
    }),
    put('persistent by a bad word', '/v1/nodes/{node}/management/boot_device', {
      boot_device: 'pxe',
      persistent: 'perhaps',
    }),
    put('by argument', '/v1/nodes/{node}/management/boot_device?persistent=true', { boot_device: 'pxe' }),
    put('a device it does not have', '/v1/nodes/{node}/management/boot_device', { boot_device: 'disk' }),
    put('an unknown device', '/v1/nodes/{node}/management/boot_device', { boot_device: 'toaster' }),
    put('no device', '/v1/nodes/{node}/management/boot_device', {}),
    put('an unknown key', '/v1/nodes/{node}/management/boot_device', { boot_device: 'pxe', colour: 1 }),
    put('an absent node', `/v1/nodes/${ABSENT}/management/boot_device`, { boot_device: 'pxe' }),
    get('supported', '/v1/nodes/{node}/management/boot_device/supported'),
    get('supported by an absent node', `/v1/nodes/${ABSENT}/management/boot_device/supported`),
    get('management', '/v1/nodes/{node}/management'),
    put('interrupt', '/v1/nodes/{node}/management/inject_nmi', {}),
    put('interrupt before it was', '/v1/nodes/{node}/management/inject_nmi', {}, { v: 28 }),
    get('indicators', '/v1/nodes/{node}/management/indicators'),
    get('indicators before they were', '/v1/nodes/{node}/management/indicators', { v: 62 }),
    get('indicators of a component', '/v1/nodes/{node}/management/indicators/chassis'),
    get('an indicator', '/v1/nodes/{node}/management/indicators/led@chassis'),
    put('an indicator on', '/v1/nodes/{node}/management/indicators/led@chassis', { state: 'ON' }),
    put('an indicator of a bad state', '/v1/nodes/{node}/management/indicators/led@chassis', {
      state: 'PURPLE',
    }),
  ],
};

export const nodeVendor: RequestGroup = {
  name: 'node-vendor',
  requests: [
    enroll('enroll', { vendor_interface: 'fake' }),
    get('methods', '/v1/nodes/{node}/vendor_passthru/methods'),
    put('no method', '/v1/nodes/{node}/vendor_passthru', {}),
    ...['PUT', 'POST', 'DELETE', 'PATCH'].map((method) => ({
      title: `an unknown method by ${method}`,
      method,
      path: '/v1/nodes/{node}/vendor_passthru/nothing',
      body: {},
    })),
    get('an unknown method by GET', '/v1/nodes/{node}/vendor_passthru/nothing'),
    put('first', '/v1/nodes/{node}/vendor_passthru/first_method', { bar: 'baz' }),
    {
      ...put('first, sync by POST', '/v1/nodes/{node}/vendor_passthru/third_method_sync', { bar: 'meow' }),
      method: 'POST',
    },
    {
      ...put('sync, a bad argument', '/v1/nodes/{node}/vendor_passthru/third_method_sync', { bar: 'woof' }),
      method: 'POST',
    },
    {
      ...put('by argument', '/v1/nodes/{node}/vendor_passthru?method=third_method_sync', { bar: 'meow' }),
      method: 'POST',
    },
    put('a wrong HTTP method', '/v1/nodes/{node}/vendor_passthru/third_method_sync', { bar: 'meow' }),
    get('of an absent node', `/v1/nodes/${ABSENT}/vendor_passthru/methods`),
    get('driver methods', '/v1/drivers/fake-hardware/vendor_passthru/methods'),
    get('driver method', '/v1/drivers/fake-hardware/vendor_passthru/nothing'),
    enroll('one without vendor', { vendor_interface: 'no-vendor' }, 'plain'),
    get('without vendor', '/v1/nodes/{plain}/vendor_passthru/methods'),
  ],
};
