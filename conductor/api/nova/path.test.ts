import { describe, expect, it } from 'vitest';
import { parsePath, routedPath } from './path.ts';

describe('a path of the compute API', () => {
  it.each([
    ['/compute/v2.1/servers/1?x=y', 'v2.1', null, 'servers/1?x=y', '/compute/v2.1/servers/1?x=y'],
    ['/compute/v2.1/red/servers', 'v2.1', 'red', 'servers', '/compute/v2.1/servers'],
    ['/compute/v2/red/os-keypairs/k', 'v2', 'red', 'os-keypairs/k', '/compute/v2.1/os-keypairs/k'],
    ['/compute/v2/flavors', 'v2', null, 'flavors', '/compute/v2.1/flavors'],
    // the second name is no collection, so the first is no project
    ['/compute/v2.1/servers/servers', 'v2.1', null, 'servers/servers', '/compute/v2.1/servers/servers'],
    ['/compute/v2.1/red/nothing', 'v2.1', null, 'red/nothing', '/compute/v2.1/red/nothing'],
  ])('%s', (url, version, projectId, rest, routed) => {
    expect(parsePath(url)).toEqual({ version, projectId, rest });
    expect(routedPath(url)).toBe(routed);
  });

  it.each(['/compute', '/compute/', '/compute/v2.1', '/compute/v3/servers', '/image/v2/images'])(
    '%s has no version with something after it',
    (url) => {
      expect(parsePath(url)).toBeUndefined();
      expect(routedPath(url)).toBe(url);
    },
  );
});
