import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { schedulerSettingsOf } from '../app/compute-settings.ts';
import { isLoopback, parseHostPort } from '../domain/host-port.ts';
import type { Setting } from '../domain/setting.ts';
import { FILTER_NAMES } from '../scheduler/filters/table.ts';
import { DEFAULT_SETTINGS, planOf } from '../scheduler/settings.ts';
import { loadConfig, type Machine } from './config.ts';
import type { Layers } from './layers.ts';
import { printConfig, referencePage } from './reference.ts';
import { environmentName, SETTINGS } from './settings.ts';
import { parseSetting } from './values.ts';

const eth: Machine['interfaces'][string] = [
  { family: 'IPv6', address: 'fe80::1', netmask: 'ffff::', mac: '', internal: false, cidr: null, scopeid: 1 },
  { family: 'IPv4', address: '10.83.0.1', netmask: '255.255.255.0', mac: '', internal: false, cidr: null },
];
const machine: Machine = { hostName: 'rack-1', interfaces: { eth1: eth, dark0: [] } };
const layers = (given: Partial<Layers> = {}): Layers => ({
  file: null,
  fileName: 'ingot.yaml',
  environment: {},
  flags: {},
  ...given,
});
const load = (given: Partial<Layers> = {}) => loadConfig(layers(given), machine);
const problems = (given: Partial<Layers>): string => {
  const loaded = load(given);
  return loaded.ok ? '' : loaded.problems.join('\n');
};

describe('loadConfig', () => {
  it('starts without any settings', () => {
    const loaded = load();
    expect(loaded).toMatchObject({
      ok: true,
      config: { host: 'rack-1', network: null, listen: { host: '127.0.0.1', port: 6385 }, auth: 'none' },
    });
    expect(loaded.ok && loaded.config.ramdiskDir.startsWith(loaded.config.dataDir)).toBe(true);
  });

  it('prefers flags, then environment, then file, then defaults, and shows the origin', () => {
    const loaded = load({
      file: { data_dir: '/file', api: { listen: '127.0.0.1:1', max_limit: 5 }, host: 'from-file' },
      environment: { INGOT_API_LISTEN: '127.0.0.1:2', INGOT_DATA_DIR: '/env', INGOT_HOST: '' },
      flags: { listen: '127.0.0.1:3' },
    });
    expect(loaded).toMatchObject({
      ok: true,
      config: { listen: { port: 3 }, dataDir: '/env', maxLimit: 5, host: 'from-file' },
    });
    expect(loaded.resolved.origins).toMatchObject({
      listen: '--listen',
      dataDir: 'INGOT_DATA_DIR',
      maxLimit: 'file ingot.yaml',
      bootPort: 'default',
    });
  });

  it('returns durations in milliseconds, sizes in bytes, and composite values parsed', () => {
    const loaded = load({
      file: { keystone: { timeout_seconds: 7 }, images: { cache_gib: 1.5 }, fake: { power_delay: '2,10' } },
      flags: { computeListen: '[::1]:8774' },
    });
    expect(loaded).toMatchObject({
      ok: true,
      config: {
        keystoneTimeoutMs: 7_000,
        keystoneCacheMs: 300_000,
        imageCacheBytes: 1.5 * 1024 ** 3,
        fakePowerDelay: { usualMs: 2_000, longestMs: 10_000 },
        computeListen: { host: '::1', port: 8774 },
      },
    });
    expect(printConfig(loaded.resolved)).toMatch(/^keystone\.timeout_seconds +7 /m);
  });

  it('finds the address of the provisioning interface', () => {
    expect(load({ flags: { interface: 'eth1' } })).toMatchObject({
      ok: true,
      config: { network: { interface: 'eth1', address: '10.83.0.1', netmask: '255.255.255.0' } },
    });
  });

  it.each<[string, Partial<Layers>, string]>([
    ['a mistyped key', { file: { dhcp: { mod: 'off' } } }, 'no setting "dhcp.mod", did you mean dhcp.mode?'],
    ['a key like nothing', { file: { zzzzzzzzzzzz: 1 } }, 'no setting "zzzzzzzzzzzz"'],
    ['a mistyped variable', { environment: { INGOT_BOOT_PROT: '1' } }, 'did you mean INGOT_BOOT_PORT?'],
    ['a file that is a list', { file: ['a'] }, 'must hold a mapping'],
    [
      'a wrong type',
      { file: { boot: { port: 'high' } } },
      'boot.port (file ingot.yaml): must be a whole number',
    ],
    ['a value out of range', { flags: { bootPort: 70_000 } }, 'must be between 1 and 65535'],
    ['a wrong choice', { environment: { INGOT_DHCP_MODE: 'on' } }, 'must be one of reservation, proxy, off'],
    ['an unknown interface', { flags: { interface: 'eth9' } }, 'there are eth1, dark0'],
    ['an interface without IPv4', { flags: { interface: 'dark0' } }, 'has no IPv4 address'],
    ['half a range', { environment: { INGOT_DHCP_RANGE_START: '10.0.0.1' } }, 'go together'],
    [
      'a range backwards',
      { file: { dhcp: { range_start: '10.0.1.0', range_end: '10.0.0.9' } } },
      'comes before dhcp.range_start',
    ],
    [
      'a script in kernel parameters',
      { flags: { kernelParams: 'quiet $(reboot)' } },
      'not a word for a kernel command line',
    ],
    [
      'a network that is none',
      { file: { agent: { callback_allow: ['10.0.0.0/33'] } } },
      '10.0.0.0/33 is not a network such as',
    ],
    ['keystone without a password', { flags: { auth: 'keystone' } }, 'keystone.password: is needed'],
    ['keystone without a place', { flags: { auth: 'keystone' } }, 'keystone.auth_url: is needed'],
    [
      'credentials in the URL of Keystone',
      { flags: { keystoneAuthUrl: 'https://u:p@keystone.example' } },
      'keystone.auth_url (flag): must be an http or https URL without credentials',
    ],
    [
      'a filter that is not there',
      { file: { scheduler: { enabled_filters: ['RamFilter', 'ramFilter'] } } },
      'ramFilter is none of Agg',
    ],
    [
      'services that are down at once',
      { file: { compute: { service_report_seconds: 60 } } },
      'would seem down',
    ],
    ['http_basic without a file', { flags: { auth: 'http_basic' } }, 'api.htpasswd_file: is needed'],
    [
      'a delay backwards',
      { file: { fake: { power_delay: '9,1' } } },
      'fake.power_delay (file ingot.yaml): must be seconds',
    ],
  ])('refuses %s', (_, given, text) => {
    expect(problems(given)).toContain(text);
  });

  it('reports all problems at once', () => {
    expect(problems({ file: { a_b: 1, boot: { port: 0 } } }).split('\n')).toHaveLength(2);
  });

  it.each(['0.0.0.0:6385', '[::]:6385', '192.0.2.1:6385', 'conductor.example:6385'])(
    'does not listen on %s without authentication',
    (listen) => {
      expect(problems({ flags: { listen } })).toContain('can be reached from outside');
      expect(problems({ flags: { computeListen: listen } })).toMatch(/^compute.listen: .*from outside/);
      expect(load({ flags: { listen, forceInsecure: true } }).ok).toBe(true);
      expect(load({ flags: { listen, auth: 'http_basic', htpasswdFile: '/etc/users' } }).ok).toBe(true);
      const keystone = {
        auth: 'keystone',
        keystoneAuthUrl: 'https://keystone.example',
        keystoneUsername: 'ironic',
        keystonePassword: 'hunter2',
      };
      expect(load({ flags: { listen, ...keystone } }).ok).toBe(true);
    },
  );

  it.each(['127.0.0.1:1', '127.9.9.9:1', '[::1]:1', 'localhost:1'])('listens on %s', (listen) => {
    expect(load({ flags: { listen } }).ok).toBe(true);
  });
});

describe('parseHostPort', () => {
  it.each(['x', ':1', '1.2.3.4', '1.2.3.4:', '1.2.3.4:99999', '::1:80', '[1.2.3.4]:80', 'a b:1'])(
    'refuses %s',
    (text) => {
      expect(parseHostPort(text)).toBeUndefined();
    },
  );

  it('knows loopback addresses by all of their forms', () => {
    expect(['127.0.0.1', '127.255.0.1', '::1', 'LOCALHOST'].every(isLoopback)).toBe(true);
    expect(['128.0.0.1', '::', '::ffff:10.0.0.1', 'localhost.example'].some(isLoopback)).toBe(false);
  });
});

describe('the scheduler', () => {
  it('is set automatically, unless it is configured', () => {
    const loaded = load();
    if (!loaded.ok) throw new Error('the defaults can not be used');
    const { isolation, ...settings } = schedulerSettingsOf(loaded.config);
    const plan = planOf({ isolation, ...settings });
    const weights = plan.weighers.map(({ name, multiplier }) => [name, multiplier]);
    expect({ isolation, ...settings, multipliers: {} }).toEqual(DEFAULT_SETTINGS);
    expect(weights).toEqual(
      planOf(DEFAULT_SETTINGS).weighers.map(({ name, multiplier }) => [name, multiplier]),
    );
    expect(SETTINGS.enabledFilters.choices).toEqual(FILTER_NAMES);
  });
});

describe('the table', () => {
  const rows = Object.values(SETTINGS) as Setting[];

  it('contains each setting once', () => {
    expect(new Set(rows.map(({ name }) => environmentName(name))).size).toBe(rows.length);
  });

  it.each(rows.map((spec) => [spec.name, spec] as const))('%s has a default that is allowed', (_, spec) => {
    if (spec.default !== null) expect(parseSetting(spec, spec.default).ok).toBe(true);
    expect(spec.help).toMatch(/\.$/);
    if (spec.type === 'integer' || spec.type === 'number') expect(spec.min).toBeLessThan(spec.max ?? 0);
  });

  it('is docs/configuration.md', () => {
    expect(readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')).toBe(
      referencePage(),
    );
  });

  it('is printed with values and origins', () => {
    const text = printConfig(load({ flags: { listen: '127.0.0.1:7' } }).resolved);
    expect(text).toMatch(/^api\.listen +127\.0\.0\.1:7 +--listen$/m);
    expect(text.trimEnd().split('\n')).toHaveLength(rows.length);
  });
});
