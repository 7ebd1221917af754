import { describe, expect, it } from 'vitest';
import { IngotError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { endpointOf } from './address.ts';
import { parseIpmiDriverInfo } from './driver-info.ts';
import { IPMI_PROPERTIES } from './driver-properties.ts';

const parse = (more: JsonObject = {}) => parseIpmiDriverInfo({ ipmi_address: '10.0.0.5', ...more });

function refusal(driverInfo: JsonObject): IngotError {
  try {
    parseIpmiDriverInfo(driverInfo);
  } catch (error) {
    if (error instanceof IngotError) return error;
  }
  throw new Error('not refused');
}

describe('driver_info of ipmitool', () => {
  it('has defaults for everything but the address', () => {
    expect(parse()).toEqual({
      host: '10.0.0.5',
      port: 623,
      username: '',
      password: expect.anything(),
      privilege: 'ADMINISTRATOR',
      cipherSuites: [17, 3],
      disableBootTimeout: true,
      forceBootDevice: false,
    });
  });

  it('reads every field', () => {
    const address = parse({
      ipmi_address: 'fd00::5',
      ipmi_port: '6230',
      ipmi_username: 'admin',
      ipmi_password: 's3cret',
      ipmi_priv_level: 'operator',
      ipmi_protocol_version: '2.0',
      ipmi_cipher_suite: '3',
      ipmi_hex_kg_key: '000102030405060708090a0b0c0d0e0f10111213',
      ipmi_local_address: '10.0.0.1',
      ipmi_force_boot_device: 'True',
      ipmi_disable_boot_timeout: false,
      ipmi_bridging: 'no',
      ipmi_terminal_port: 8023,
      deploy_kernel: 'not ours',
    });
    expect(address).toMatchObject({
      port: 6230,
      username: 'admin',
      privilege: 'OPERATOR',
      cipherSuites: [3],
      localAddress: '10.0.0.1',
      forceBootDevice: true,
      disableBootTimeout: false,
    });
    expect(endpointOf(address)).toBe('[fd00::5]:6230');
    expect(address.password.reveal().toString()).toBe('s3cret');
    expect(address.kg?.reveal()).toHaveLength(20);
  });

  it.each<[string, JsonObject]>([
    ['ipmi_address', { ipmi_address: 'bad host' }],
    ['ipmi_address', { ipmi_address: '-U root' }],
    ['ipmi_address', { ipmi_address: ['10.0.0.5'] }],
    ['ipmi_port', { ipmi_port: 0 }],
    ['ipmi_port', { ipmi_port: '65536' }],
    ['ipmi_port', { ipmi_port: '623; reboot' }],
    ['ipmi_username', { ipmi_username: 'seventeen-letters' }],
    ['ipmi_password', { ipmi_password: 'more-than-twenty-bytes' }],
    ['ipmi_priv_level', { ipmi_priv_level: 'ROOT' }],
    ['ipmi_protocol_version', { ipmi_protocol_version: '1.5' }],
    ['ipmi_cipher_suite', { ipmi_cipher_suite: 0 }],
    ['ipmi_cipher_suite', { ipmi_cipher_suite: 'toString' }],
    ['ipmi_hex_kg_key', { ipmi_hex_kg_key: 'xyz' }],
    ['ipmi_hex_kg_key', { ipmi_hex_kg_key: '0011' }],
    ['ipmi_local_address', { ipmi_local_address: 'eth0' }],
    ['ipmi_force_boot_device', { ipmi_force_boot_device: 'perhaps' }],
    ['ipmi_disable_boot_timeout', { ipmi_disable_boot_timeout: 'toString' }],
    ['ipmi_bridging', { ipmi_bridging: 'single' }],
    ['ipmi_target_channel', { ipmi_target_channel: '0' }],
  ])('rejects %s when it is %j', (field, more) => {
    const error = refusal({ ipmi_address: '10.0.0.5', ...more });
    expect(error.code).toBe('invalidParameter');
    expect(error.message).toContain(`driver_info.${field} `);
  });

  it.each([true, 'true', 'TRUE', 'yes', 'on', ' On ', 1, '1', 't', 'y'])('accepts %j as true', (flag) => {
    expect(parse({ ipmi_force_boot_device: flag }).forceBootDevice).toBe(true);
  });

  it.each([false, 'false', 'False', 'no', 'off', 0, '0', 'f', 'n'])('accepts %j as false', (flag) => {
    expect(parse({ ipmi_disable_boot_timeout: flag }).disableBootTimeout).toBe(false);
  });

  it('uses the default for an empty or absent value', () => {
    for (const flag of ['', null]) {
      const address = parse({
        ipmi_force_boot_device: flag,
        ipmi_disable_boot_timeout: flag,
        ipmi_port: flag,
      });
      expect(address).toMatchObject({ forceBootDevice: false, disableBootTimeout: true, port: 623 });
    }
    expect(parse({ ipmi_username: 7, ipmi_port: ' 624 ' })).toMatchObject({ username: '7', port: 624 });
  });

  it.each([{ ipmi_address: '[fd00::5]' }, { ipmi_address: 'bmc-1.example.org.' }, { ipmi_address: 'a' }])(
    'reads the host of %j',
    ({ ipmi_address: host }) => expect(parse({ ipmi_address: host }).host).toBe(host.replace(/[[\]]/g, '')),
  );

  it.each([
    [{ ipmi_port: 1 }, { port: 1 }],
    [{ ipmi_port: 65_535 }, { port: 65_535 }],
    [{ ipmi_username: 'sixteen-letters!' }, { username: 'sixteen-letters!' }],
    [{ ipmi_cipher_suite: 17 }, { cipherSuites: [17] }],
    [{ ipmi_protocol_version: 2 }, {}],
    [{ ipmi_bridging: 'no' }, {}],
  ])('takes %j', (more, expected) => expect(parse(more)).toMatchObject(expected));

  it.each([
    ['ipmi_port', { ipmi_port: 623.5 }],
    ['ipmi_port', { ipmi_port: '-1' }],
    ['ipmi_username', { ipmi_username: 'nul\0' }],
    ['ipmi_hex_kg_key', { ipmi_hex_kg_key: 'g'.repeat(40) }],
    ['ipmi_hex_kg_key', { ipmi_hex_kg_key: '0'.repeat(42) }],
    ['ipmi_address', { ipmi_address: '[bmc' }],
  ])('also rejects %s when it is %j', (field, more) => {
    expect(refusal({ ipmi_address: '10.0.0.5', ...more }).message).toContain(`driver_info.${field} `);
  });

  it.each([{}, { ipmi_address: '' }, { ipmi_address: null }])('requires the address in %j', (info) => {
    expect(refusal(info)).toMatchObject({
      code: 'missingParameter',
      message: expect.stringContaining('driver_info.ipmi_address is required'),
    });
  });

  it('never puts secrets into error texts', () => {
    expect(refusal({ ipmi_address: 'a', ipmi_password: 'more-than-twenty-bytes' }).message).not.toContain(
      'more',
    );
    expect(refusal({ ipmi_address: 'a', ipmi_hex_kg_key: 'deadbeef' }).message).not.toContain('deadbeef');
  });

  it('describes every field', () => {
    for (const text of Object.values(IPMI_PROPERTIES)) expect(text.length).toBeGreaterThan(20);
    expect(Object.keys(IPMI_PROPERTIES)).toContain('ipmi_address');
  });
});
