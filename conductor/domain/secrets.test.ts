import { describe, expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import type { Json } from './json.ts';
import { isSecretKey, MASK, maskSecrets } from './secrets.ts';

describe('isSecretKey', () => {
  it.each([
    'ipmi_password',
    'redfish_password',
    'rescue_password',
    'agent_token',
    'agent_secret_token',
    'image_pull_secret',
    'snmp_auth_key',
    'snmp_priv_key',
    'snmp_community',
    'ipmi_hex_kg_key',
    'configdrive',
    'image_url',
    'adminPass',
    'API-Key',
    'privateKey',
  ])('%s is a secret key', (key) => expect(isSecretKey(key)).toBe(true));

  it.each([
    'ipmi_address',
    'ipmi_username',
    'image_source',
    'image_checksum',
    'kernel',
    'snmp_version',
    'key',
    'keyboard',
    'deploy_ramdisk',
    'base_image_url_kind',
  ])('%s is not a secret key', (key) => expect(isSecretKey(key)).toBe(false));
});

describe('maskSecrets', () => {
  it('masks secrets at any depth and keeps the rest', () => {
    expect(
      maskSecrets({
        ipmi_password: 'x',
        list: [{ token: 7 }, 'plain'],
        deep: { a: { secret: { whole: 'object' } } },
        flags: { token: null, password: '', secret: false },
      }),
    ).toEqual({
      ipmi_password: MASK,
      list: [{ token: MASK }, 'plain'],
      deep: { a: { secret: MASK } },
      flags: { token: null, password: '', secret: false },
    });
  });

  it('redacts URLs under keys of images, files and calls', () => {
    const url = 'https://ada:pw@h/i?sig=x';
    const shown = 'https://******@h/i?******';
    for (const key of [
      'image_source',
      'image_checksum',
      'deploy_kernel',
      'rescue_ramdisk',
      'boot_iso',
      'url',
    ])
      expect(maskSecrets({ [key]: url })).toEqual({ [key]: shown });
    expect(maskSecrets({ bootloader_by_arch: { x86_64: [url] }, args: { at: url } })).toEqual({
      bootloader_by_arch: { x86_64: [shown] },
      args: { at: shown },
    });
    const plain = { note: url, image_source: 'https://h/i' };
    expect(maskSecrets(plain)).toBe(plain);
  });

  it('masks a secret in any JSON', () => {
    const planted = 'PLANTED-5f1c';
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.string(), { maxLength: 4 }), (around, path) => {
        const inner: Json = { my_password: planted, around: around as Json };
        const json = path.reduce<Json>((value, key) => [{ [key]: value }], inner);
        return !JSON.stringify(maskSecrets(json)).includes(planted);
      }),
    );
  });
});
