import { describe, expect, it } from 'vitest';
import { imageSourceOf, parseInstanceInfo, required, withConfigDrive, withTraits } from './instance-info.ts';
import type { JsonObject } from './json.ts';

const source = 'http://host/disk.qcow2';
const SHA256 = 'ab'.repeat(32);
const parse = (info: JsonObject) => required(parseInstanceInfo({ image_source: source, ...info }).image);

describe('the image', () => {
  it.each<[string, JsonObject, object]>([
    ['a source alone', {}, {}],
    [
      'a sha256',
      { image_checksum: SHA256.toUpperCase() },
      { digest: { algorithm: 'sha256', value: SHA256 }, digestField: 'image_checksum' },
    ],
    [
      'an md5',
      { image_checksum: 'ab'.repeat(16) },
      { digest: { algorithm: 'md5', value: 'ab'.repeat(16) }, digestField: 'image_checksum' },
    ],
    [
      'a file of digests',
      { image_checksum: 'https://host/SHA256SUMS' },
      { checksumUrl: 'https://host/SHA256SUMS', digestField: 'image_checksum' },
    ],
    [
      'hash and algorithm, before a checksum',
      { image_os_hash_algo: 'sha256', image_os_hash_value: SHA256, image_checksum: 'https://host/S' },
      { digest: { algorithm: 'sha256', value: SHA256 }, digestField: 'image_os_hash_value' },
    ],
    ['a format', { image_disk_format: 'raw' }, { diskFormat: 'raw' }],
  ])('takes %s', (_, info, request) => {
    expect(parse(info)).toEqual({ source, ...request });
  });

  it.each<[string, JsonObject, string]>([
    ['no source', { image_source: null }, 'image_source is missing'],
    [
      'a checksum whose length fits no algorithm',
      { image_checksum: 'abc' },
      'instance_info.image_checksum must be',
    ],
    [
      'a checksum that is another URL',
      { image_checksum: 'ftp://host/S' },
      'instance_info.image_checksum must be',
    ],
    ['half a hash', { image_os_hash_algo: 'sha256' }, 'must be given together'],
    [
      'a hash of another length',
      { image_os_hash_algo: 'sha512', image_os_hash_value: SHA256 },
      'instance_info.image_os_hash_value must be',
    ],
  ])('refuses %s, naming the field', (_, info, text) => {
    expect(() => parse(info)).toThrow(text);
  });
});

it('an invalid part fails only the callers that need it', () => {
  expect(parseInstanceInfo({})).toMatchObject({
    image: { ok: false, error: { code: 'missingParameter' } },
    bootMode: undefined,
    configDrive: null,
    kernelAppendParams: { ok: true, value: undefined },
  });
  const info = parseInstanceInfo({
    image_source: 7,
    capabilities: 'boot_mode:bios',
    configdrive: { meta_data: {} },
    kernel_append_params: 'nofb',
  });
  expect(info).toMatchObject({
    bootMode: 'bios',
    configDrive: { meta_data: {} },
    kernelAppendParams: { ok: true, value: 'nofb' },
  });
  expect(() => required(info.image)).toThrow('instance_info.image_source must be a string');
});

describe('traits, display name and root device', () => {
  it('are read as they are', () => {
    const info = { traits: ['CUSTOM_A', 5], display_name: 'web', root_device: { name: '/dev/sda' } };
    expect(parseInstanceInfo(info)).toMatchObject({
      traits: ['CUSTOM_A'],
      displayName: 'web',
      rootDevice: { name: '/dev/sda' },
    });
  });

  it.each([{}, { traits: null, display_name: '', root_device: null }, { traits: 'A', display_name: 5 }])(
    'are none in %j',
    (info) => {
      expect(parseInstanceInfo(info)).toMatchObject({ traits: [], displayName: undefined, rootDevice: null });
    },
  );
});

it.each([
  [{ image_source: source, image_checksum: 'wrong' }, source],
  [{ image_source: '' }, undefined],
  [{ image_source: 7 }, undefined],
  [{}, undefined],
])('the image source of %j is %j', (info, expected) => expect(imageSourceOf(info)).toBe(expected));

it('a config drive and traits are replaced or taken out, and all else stays', () => {
  const info = { image_source: source, configdrive: 'old', traits: ['A'] };
  expect(withConfigDrive(info, 'new')).toEqual({ ...info, configdrive: 'new' });
  expect(withConfigDrive(info, null)).toEqual({ image_source: source, traits: ['A'] });
  expect(withTraits(info, ['B'])).toEqual({ ...info, traits: ['B'] });
  expect(withTraits(info, null)).toEqual({ image_source: source, configdrive: 'old' });
});
