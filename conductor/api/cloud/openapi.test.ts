import { expect, it } from 'vitest';
import { CLOUD_API, cloudAccess } from './openapi.ts';

it('the policy of a route is its access', () => {
  expect(cloudAccess('GET', { config: { access: 'public' } })).toEqual({ policy: 'public', isOpen: true });
  expect(cloudAccess('GET', { config: { access: 'admin' } })).toEqual({ policy: 'admin', isOpen: false });
  expect(cloudAccess('GET', {})).toBeUndefined();
});

it.each([
  ['/compute/v2.1/servers/:id', 'compute: servers', 'ComputeError', ['version'], '2.5'],
  ['/compute/', 'compute', 'ComputeError', [], undefined],
  ['/image/v2/images/:id/members', 'image: images', 'Error', [], undefined],
  ['/network/v2.0/ports', 'network: ports', 'NetworkError', [], undefined],
  ['/identity/v3/auth/tokens', 'identity: auth', 'Error', [], undefined],
])('%s has the tag, error and versions of its service', (url, tag, error, shared, version) => {
  expect([
    CLOUD_API.tagOf(url),
    CLOUD_API.errorOf(url).title,
    CLOUD_API.sharedParameters(url),
    CLOUD_API.versionText(5, url),
  ]).toEqual([tag, error, shared, version]);
});

it('routes of every microversion have no microversion in the document', () => {
  expect(CLOUD_API.versionText(1, '/compute/v2.1/servers')).toBeUndefined();
});
