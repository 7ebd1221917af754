import { describe, expect, it } from 'vitest';
import { serverRequest } from '../../test/fakes/compute/test-compute.ts';
import { newServers } from './new-servers.ts';

describe('the servers of a request', () => {
  it('have the requested values and belong to the caller', () => {
    const wanted = { metadata: { role: 'db' }, tags: ['a'], keyName: 'k', publicKey: 'ssh-ed25519 A' };
    const [server, ...others] = newServers(serverRequest({ ...wanted, name: 'web' }));
    expect(others).toEqual([]);
    expect(server).toMatchObject({
      ...wanted,
      name: 'web',
      projectId: 'p1',
      userId: 'u1',
      vmState: 'building',
      taskState: 'scheduling',
    });
    expect(server).not.toHaveProperty('tenant');
    expect(server).not.toHaveProperty('requestId');
  });

  it('are numbered from 1 in one reservation', () => {
    const servers = newServers(serverRequest({ name: 'web', maxCount: 2 }));
    expect(servers.map(({ name, hostname, launchIndex }) => [name, hostname, launchIndex])).toEqual([
      ['web-1', 'web-1', 0],
      ['web-2', 'web-2', 1],
    ]);
    expect(new Set(servers.map(({ uuid }) => uuid)).size).toBe(2);
    expect(new Set(servers.map(({ reservationId }) => reservationId)).size).toBe(1);
  });

  it.each([
    ['My web_server.example', 'my-web-server-example'],
    ['-a-', 'a'],
    ['x'.repeat(70), 'x'.repeat(63)],
    ['äöü', /^server-[0-9a-f-]{36}$/],
  ])('named %s have a host name', (name, hostname) => {
    expect(newServers(serverRequest({ name }))[0]?.hostname).toMatch(hostname);
  });
});
