import { describe, expect, it } from 'vitest';
import type { Json } from '../../domain/json.ts';
import { MASK } from '../../domain/secrets.ts';
import { mergeChanges, type SecretChange, seal, unseal } from './seal.ts';

const noChange = (): SecretChange => ({ fields: [], keep: [], put: new Map() });

function sealed(json: Json) {
  const change = noChange();
  return { json: seal(json, '/f', change), put: Object.fromEntries(change.put), keep: change.keep };
}

describe('what is sealed', () => {
  it.each<[Json, Json, Record<string, Json>]>([
    [{ password: 'p', user: 'u' }, { password: MASK, user: 'u' }, { '/f/password': 'p' }],
    [
      { a: { b: [{ token: 't' }, { token: 's' }] } },
      { a: { b: [{ token: MASK }, { token: MASK }] } },
      { '/f/a/b/0/token': 't', '/f/a/b/1/token': 's' },
    ],
    [{ configdrive: { meta_data: {} } }, { configdrive: MASK }, { '/f/configdrive': { meta_data: {} } }],
    [{ 'a/b~c': { password: 7 } }, { 'a/b~c': { password: MASK } }, { '/f/a~1b~0c/password': 7 }],
    [{ password: null, token: '', secret: false }, { password: null, token: '', secret: false }, {}],
    [['password'], ['password'], {}],
    ['password', 'password', {}],
    [null, null, {}],
    [
      {
        image_source: 'http://a:b@h/i?s',
        deploy_kernel_by_arch: { x86_64: 'http://h/k?s', arm: 'http://h/k' },
      },
      {
        image_source: 'http://******@h/i?******',
        deploy_kernel_by_arch: { x86_64: 'http://h/k?******', arm: 'http://h/k' },
      },
      { '/f/image_source': 'http://a:b@h/i?s', '/f/deploy_kernel_by_arch/x86_64': 'http://h/k?s' },
    ],
    [
      { settings: { args: [{ x: ['http://h/?s', 5] }] } },
      { settings: { args: [{ x: ['http://h/?******', 5] }] } },
      { '/f/settings/args/0/x/0': 'http://h/?s' },
    ],
    [{ note: 'http://a:b@h/i?s' }, { note: 'http://a:b@h/i?s' }, {}],
  ])('of %j leaves %j and takes %j', (json, left, put) => {
    expect(sealed(json)).toEqual({ json: left, put, keep: [] });
    expect(unseal(structuredClone(left), '/f', new Map(Object.entries(put)))).toEqual(json);
  });

  it('keeps a secret that comes back as a mask', () => {
    expect(sealed({ password: MASK, token: 't' })).toEqual({
      json: { password: MASK, token: MASK },
      put: { '/f/token': 't' },
      keep: ['/f/password'],
    });
  });

  it('keeps the secrets of a URL that comes back redacted', () => {
    expect(sealed({ image_source: 'http://******@h/i?******' })).toEqual({
      json: { image_source: 'http://******@h/i?******' },
      put: {},
      keep: ['/f/image_source'],
    });
  });

  it('keeps nothing for a mask under a key that is no secret', () => {
    expect(sealed({ note: MASK })).toEqual({ json: { note: MASK }, put: {}, keep: [] });
  });
});

describe('a secret is put back', () => {
  it.each<[string, Json, Json]>([
    ['/f/password', { password: MASK }, { password: 'p' }],
    ['/f/a/0/password', { a: [{ password: MASK }] }, { a: [{ password: 'p' }] }],
    ['/f/password', { password: 'no mask' }, { password: 'no mask' }],
    ['/f/password', { other: MASK }, { other: MASK }],
    ['/f/a/password', { a: null }, { a: null }],
    ['/f/__proto__/password', {}, {}],
    ['/fine/password', { password: MASK }, { password: MASK }],
    ['/other/password', { password: MASK }, { password: MASK }],
  ])('at %s of %j: %j', (pointer, json, whole) => {
    expect(unseal(structuredClone(json), '/f', new Map([[pointer, 'p']]))).toEqual(whole);
  });

  it('as the URL that it belongs to, and no other', () => {
    const secrets = new Map([['/f/image_source', 'http://a:b@h/i?s']]);
    const back = (stored: string) => unseal({ image_source: stored }, '/f', secrets);
    expect(back('http://******@h/i?******')).toEqual({ image_source: 'http://a:b@h/i?s' });
    for (const other of ['http://******@elsewhere/i?******', 'http://h/i', 'http://a:b@h/i?s'])
      expect(back(other)).toEqual({ image_source: other });
  });

  it('only where there are any', () => {
    expect(unseal({ password: MASK }, '/f', undefined)).toEqual({ password: MASK });
  });
});

it('two changes of one row are one', () => {
  const a: SecretChange = { fields: ['a'], keep: ['/a/x'], put: new Map([['/a/y', 1]]) };
  const b: SecretChange = { fields: ['b'], keep: ['/b/x'], put: new Map([['/b/y', 2]]) };
  expect(mergeChanges(a, b)).toEqual({
    fields: ['a', 'b'],
    keep: ['/a/x', '/b/x'],
    put: new Map([
      ['/a/y', 1],
      ['/b/y', 2],
    ]),
  });
});
