/**
 * How many builds have failed on each node since the last success, for the build failure weigher. Counted from the
 * servers at start, then updated.
 */
import type { Server } from '../domain/compute.ts';
import type { HostState } from '../scheduler/host-state.ts';

export interface BuildFailures {
  /** @param servers in the order of their creation */
  readFrom(servers: readonly Pick<Server, 'tried' | 'nodeUuid' | 'launchedAt'>[]): void;
  failed(nodeUuid: string): void;
  succeeded(nodeUuid: string): void;
  onHosts(hosts: readonly HostState[]): readonly HostState[];
}

export function createBuildFailures(): BuildFailures {
  const counts = new Map<string, number>();
  const failed = (nodeUuid: string): void => {
    counts.set(nodeUuid, (counts.get(nodeUuid) ?? 0) + 1);
  };
  return {
    readFrom(servers) {
      for (const { tried, nodeUuid, launchedAt } of servers) {
        for (const { nodename } of tried) failed(nodename);
        if (nodeUuid !== null && launchedAt !== null) counts.delete(nodeUuid);
      }
    },
    failed,
    succeeded: (nodeUuid) => {
      counts.delete(nodeUuid);
    },
    onHosts: (hosts) =>
      counts.size === 0
        ? hosts
        : hosts.map((host) => ({ ...host, failedBuilds: counts.get(host.nodename) ?? host.failedBuilds })),
  };
}
