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
