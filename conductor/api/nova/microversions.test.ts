import { describe, expect, it } from 'vitest';
import { MAX_MINOR, NOVA_VERSIONS } from './microversions.ts';

const { read, absentText, fixedFor } = NOVA_VERSIONS;

describe('the microversion of a request to the compute API', () => {
  it.each([
    [undefined, 1],
    ['2.9', 9],
    [' 2.11 ', 11],
    ['2.3, 2.60', 60],
    ['latest', MAX_MINOR],
    [`2.${MAX_MINOR}`, MAX_MINOR],
  ])('%j is %i', (asked, minor) => expect(read(asked)).toEqual({ ok: true, minor }));

  it.each([
    [`2.${MAX_MINOR + 1}`, 406, `Minimum is 2.1 and maximum is 2.${MAX_MINOR}.`],
    ['2.0', 406, 'Version 2.0 is not supported by the API.'],
    ['3.1', 406, 'Version 3.1 is not supported by the API.'],
    ['two', 400, 'API Version String two is of invalid format.'],
    ['2.01', 400, 'API Version String 2.01 is of invalid format.'],
    ['LATEST', 400, 'invalid format'],
    ['', 400, 'invalid format'],
  ])('%j is refused with %i', (asked, status, reason) =>
    expect(read(asked)).toEqual({ ok: false, status, reason: expect.stringContaining(reason) }),
  );

  it('is none for paths of the API before microversions', () => {
    const minorOf = (originalUrl: string) => fixedFor({ originalUrl } as never);
    expect(minorOf('/compute/v2/servers')).toBe(0);
    expect(minorOf('/compute/v2.1/servers')).toBeUndefined();
  });

  it.each([
    [54, 55, MAX_MINOR, 'needs compute API version 2.55 or newer, the request uses 2.54.'],
    [36, 1, 35, 'needs compute API version 2.35 or older, the request uses 2.36.'],
  ])('%i: a route of 2.%i to 2.%i names the version it needs', (minor, since, until, text) =>
    expect(absentText?.({ method: 'PUT', minor } as never, since, until)).toContain(text),
  );
});
