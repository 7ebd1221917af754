/**
 * Limits of projects, most of them unlimited, and their usage. Nova's /limits and /os-quota-sets, read only.
 */

import type { FastifyRequest } from 'fastify';
import { IngotError } from '../../../domain/errors.ts';
import { listAll } from '../../../domain/store/page.ts';
import { sees } from '../../../identity/tenant.ts';
import { QUOTAS, usageOf } from '../../../servers/quotas.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { text } from '../../kit/readers.ts';
import { readQuery } from '../request.ts';

const UNLIMITED = -1;
const LIMITS = { tenant_id: text({ max: 255 }) };
/** Microversions from which on some limits are left out. */
const NO_NETWORK = 36;
const NO_IMAGE_METADATA = 39;
const NO_FILES = 57;

interface Resource {
  /** Name in quota sets. */
  readonly quota: string;
  /** Names in limits, if it is there. */
  readonly limits?: readonly string[];
  readonly used?: string;
  /** Missing: unlimited. */
  readonly limit?: number;
  /** First microversion that leaves it out. */
  readonly until?: number;
}

const RESOURCES: readonly Resource[] = [
  { quota: 'instances', limits: ['maxTotalInstances'], used: 'totalInstancesUsed' },
  { quota: 'cores', limits: ['maxTotalCores'], used: 'totalCoresUsed' },
  { quota: 'ram', limits: ['maxTotalRAMSize'], used: 'totalRAMUsed' },
  { quota: 'key_pairs', limits: ['maxTotalKeypairs'] },
  { quota: 'metadata_items', limits: ['maxServerMeta'], limit: QUOTAS.metadataItems },
  { quota: 'server_groups', limits: ['maxServerGroups'], used: 'totalServerGroupsUsed' },
  { quota: 'server_group_members', limits: ['maxServerGroupMembers'] },
  { quota: 'injected_files', limits: ['maxPersonality'], limit: QUOTAS.files, until: NO_FILES },
  {
    quota: 'injected_file_content_bytes',
    limits: ['maxPersonalitySize'],
    limit: QUOTAS.fileBytes,
    until: NO_FILES,
  },
  { quota: 'injected_file_path_bytes', limit: QUOTAS.filePathBytes, until: NO_FILES },
  { quota: 'fixed_ips', until: NO_NETWORK },
  { quota: 'floating_ips', limits: ['maxTotalFloatingIps'], used: 'totalFloatingIpsUsed', until: NO_NETWORK },
  {
    quota: 'security_groups',
    limits: ['maxSecurityGroups'],
    used: 'totalSecurityGroupsUsed',
    until: NO_NETWORK,
  },
  { quota: 'security_group_rules', limits: ['maxSecurityGroupRules'], until: NO_NETWORK },
];

type Used = Readonly<Record<string, number>>;

/** The rows that a quota set or quota class shows. */
export const quotasShownIn = (request: FastifyRequest): Readonly<Record<string, number>> =>
  Object.fromEntries(shownIn(request).map((one) => [one.quota, limitOf(one)]));

const limitOf = ({ limit }: Resource): number => limit ?? UNLIMITED;

const shownIn = ({ minor }: FastifyRequest): readonly Resource[] =>
  RESOURCES.filter(({ until = Number.POSITIVE_INFINITY }) => minor < until);

interface OfProject {
  Params: { project: string };
}

export function limitRoutes(app: App, { store }: ComputeDeps): void {
  /** By the names in quota sets. */
  async function usedBy(projectId: string): Promise<Used> {
    const { servers, vcpus, ramMb, serverGroups } = usageOf(
      await listAll(store.compute.servers, { projectId }),
      await listAll(store.compute.serverGroups, { projectId }),
    );
    return { instances: servers, cores: vcpus, ram: ramMb, server_groups: serverGroups };
  }

  app.get(
    '/limits',
    described('reader', 'Limits of a project and what it uses', { query: LIMITS, item: 'limits' }),
    async (request) => {
      const { tenant_id: asked } = readQuery(request, LIMITS);
      const project = asked ?? request.tenant.projectId;
      if (!sees(request.tenant, project))
        throw new IngotError('forbidden', "Policy doesn't allow limits of another project to be shown.");
      const used = await usedBy(project);
      const shown = shownIn(request);
      const limits = shown.flatMap((one) => (one.limits ?? []).map((name) => [name, limitOf(one)]));
      if (request.minor < NO_IMAGE_METADATA) limits.push(['maxImageMeta', QUOTAS.metadataItems]);
      const uses = shown.flatMap((one) => (one.used === undefined ? [] : [[one.used, used[one.quota] ?? 0]]));
      return { limits: { rate: [], absolute: Object.fromEntries([...limits, ...uses]) } };
    },
  );

  for (const path of ['/os-quota-sets/:project', '/os-quota-sets/:project/defaults']) {
    app.get<OfProject>(
      path,
      described('reader', 'Show the quotas of a project', { item: 'quota_set' }),
      async (request) => {
        const project = projectOf(request);
        return { quota_set: { id: project, ...quotasShownIn(request) } };
      },
    );
  }

  app.get<OfProject>(
    '/os-quota-sets/:project/detail',
    described('reader', 'Show the quotas of a project and what it uses', { item: 'quota_set' }),
    async (request) => {
      const project = projectOf(request);
      const used = await usedBy(project);
      const limits = shownIn(request).map((one) => [
        one.quota,
        { limit: limitOf(one), in_use: used[one.quota] ?? 0, reserved: 0 },
      ]);
      return { quota_set: { id: project, ...Object.fromEntries(limits) } };
    },
  );
}

/** Throws forbidden for another project than the caller's. */
function projectOf({ params, tenant }: FastifyRequest<OfProject>): string {
  if (sees(tenant, params.project)) return params.project;
  throw new IngotError('forbidden', "Policy doesn't allow quotas of another project to be shown.");
}
