import { describe, expect, it } from 'vitest';
import { MAX_MINOR, negotiate } from './versions.ts';

describe('negotiate', () => {
  it.each<[standard: string | undefined, own: string | undefined, minor: number]>([
    [undefined, undefined, 1],
    [undefined, '1.50', 50],
    [undefined, ' 1.50 ', 50],
    [undefined, 'latest', MAX_MINOR],
    [undefined, 'LATEST', MAX_MINOR],
    ['baremetal 1.31', '1.50', 31],
    ['compute 2.1, baremetal 1.31', undefined, 31],
    ['compute 2.1', '1.50', 50],
    ['baremetal latest', undefined, MAX_MINOR],
  ])('%s and %s is 1.%i', (standard, own, minor) => {
    expect(negotiate(standard, own)).toEqual({ ok: true, minor });
  });

  it.each<[string, string]>([
    [
      `1.${MAX_MINOR + 1}`,
      `is not supported by this service. The supported version range is: [1.1, 1.${MAX_MINOR}]`,
    ],
    ['1.0', 'minor version is not supported'],
    ['2.1', 'Mutually exclusive versions requested'],
    ['1', 'Invalid value for X-OpenStack-Ironic-API-Version'],
    ['1.x', 'Invalid value'],
    ['', 'Invalid value'],
    ['1.1.1', 'Invalid value'],
    ['99999999999.1', 'Invalid value'],
  ])('refuses %s', (own, reason) => {
    expect(negotiate(undefined, own)).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
  });
});
