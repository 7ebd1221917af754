import { describe, expect, it } from 'vitest';
import { MAX_MINOR, readVersion } from './versions.ts';

describe('the value of a version header', () => {
  it.each<[asked: string | undefined, minor: number]>([
    [undefined, 1],
    ['1.50', 50],
    [' 1.50 ', 50],
    ['latest', MAX_MINOR],
    ['LATEST', MAX_MINOR],
  ])('%s is 1.%i', (asked, minor) => {
    expect(readVersion(asked)).toEqual({ ok: true, minor });
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
  ])('%s is refused', (asked, reason) => {
    expect(readVersion(asked)).toEqual({ ok: false, status: 406, reason: expect.stringContaining(reason) });
  });
});
