/**
 * Limits of a request for servers, and the usage of a project. The values are Nova's default quotas; projects have no
 * limit on servers.
 */
import type { Server, ServerGroup } from '../domain/compute.ts';

export const QUOTAS = {
  serversPerRequest: 1000,
  metadataItems: 128,
  /** Number of injected files, up to API 2.56. */
  files: 5,
  fileBytes: 10_240,
  filePathBytes: 255,
} as const;

export interface Usage {
  readonly servers: number;
  readonly vcpus: number;
  readonly ramMb: number;
  readonly serverGroups: number;
}

/** The usage of a project, without deleted servers. */
export function usageOf(servers: readonly Server[], groups: readonly ServerGroup[]): Usage {
  const existing = servers.filter(({ vmState }) => vmState !== 'deleted');
  return {
    servers: existing.length,
    vcpus: existing.reduce((sum, { flavor }) => sum + flavor.vcpus, 0),
    ramMb: existing.reduce((sum, { flavor }) => sum + flavor.ramMb, 0),
    serverGroups: groups.length,
  };
}
