/**
 * Groups of servers that should be placed together or apart. Nova's /os-server-groups.
 */

import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { ServerGroup } from '../../../domain/compute.ts';
import { IngotError, notFound } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { listAll } from '../../../domain/store/page.ts';
import { sees } from '../../../identity/tenant.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { integer, list, object, oneOf, optional, type Reader, text } from '../../kit/readers.ts';
import { byUuid } from '../page.ts';
import { named, readBody, readQuery } from '../request.ts';

/** First microversions of these fields. */
const OWNER = 13;
const SOFT = 15;
const ONE_POLICY = 64;

const HARD_POLICY = oneOf(['anti-affinity', 'affinity']);
const POLICY = oneOf(['anti-affinity', 'affinity', 'soft-anti-affinity', 'soft-affinity']);
const policies = (policy: Reader<ServerGroup['policy']>) =>
  object({ server_group: object({ name: named(), policies: list(policy, { min: 1, max: 1 }) }) });
const CREATE = policies(HARD_POLICY);
const CREATE_215 = policies(POLICY);
const RULES = object({ max_server_per_host: optional(integer(1)) });
const CREATE_264 = object({
  server_group: object({ name: named(), policy: POLICY, rules: optional(RULES) }),
});

const LIST = { all_projects: text(), limit: integer(), offset: integer() };

interface ById {
  Params: { id: string };
}

export function serverGroupRoutes(app: App, { store, settings, now }: ComputeDeps): void {
  const { serverGroups, servers } = store.compute;

  async function find(request: FastifyRequest<ById>): Promise<ServerGroup> {
    const { id } = request.params;
    const group = await byUuid(serverGroups, id);
    if (group !== undefined && sees(request.tenant, group.projectId)) return group;
    throw notFound('Instance group', id);
  }

  async function view(group: ServerGroup, { minor }: FastifyRequest): Promise<JsonObject> {
    const members = await listAll(servers, { serverGroupUuid: group.uuid });
    return {
      id: group.uuid,
      name: group.name,
      ...policyView(group, minor),
      members: members.filter(({ vmState }) => vmState !== 'deleted').map(({ uuid }) => uuid),
      ...(minor >= OWNER ? { project_id: group.projectId, user_id: group.userId } : {}),
    };
  }

  app.get(
    '/os-server-groups',
    described('reader', 'List server groups', { query: LIST, list: 'server_groups' }),
    async (request) => {
      const { all_projects: all, limit = settings.maxLimit, offset = 0 } = readQuery(request, LIST);
      const { projectId, isAdmin } = request.tenant;
      const groups = await listAll(serverGroups, isAdmin && all !== undefined ? {} : { projectId });
      const page = groups.slice(offset, offset + Math.min(limit, settings.maxLimit));
      return { server_groups: await Promise.all(page.map((group) => view(group, request))) };
    },
  );

  app.get<ById>(
    '/os-server-groups/:id',
    described('reader', 'Show a server group', { item: 'server_group' }),
    async (request) => ({
      server_group: await view(await find(request), request),
    }),
  );

  app.post(
    '/os-server-groups',
    described('member', 'Create a server group', { body: CREATE_264, item: 'server_group' }),
    async (request) => {
      const { projectId, userId } = request.tenant;
      const asked = readGroup(request);
      const group = await serverGroups.create({ uuid: randomUUID(), projectId, userId, ...asked }, now());
      return { server_group: await view(group, request) };
    },
  );

  app.delete<ById>(
    '/os-server-groups/:id',
    described('member', 'Delete a server group', { status: 204 }),
    async (request, reply) => {
      await serverGroups.delete((await find(request)).uuid);
      return reply.code(204).send();
    },
  );
}

function readGroup(request: FastifyRequest): Pick<ServerGroup, 'name' | 'policy' | 'maxServerPerHost'> {
  if (request.minor < ONE_POLICY) {
    const { server_group: group } = readBody(request, request.minor < SOFT ? CREATE : CREATE_215);
    return { name: group.name, policy: group.policies[0]!, maxServerPerHost: 1 };
  }
  const { name, policy, rules = {} } = readBody(request, CREATE_264).server_group;
  if (policy !== 'anti-affinity' && Object.keys(rules).length > 0)
    throw new IngotError('invalidParameter', 'Only anti-affinity policy supports rules.');
  return { name, policy, maxServerPerHost: rules.max_server_per_host ?? 1 };
}

function policyView({ policy, maxServerPerHost }: ServerGroup, minor: number): JsonObject {
  if (minor < ONE_POLICY) return { policies: [policy], metadata: {} };
  return { policy, rules: maxServerPerHost > 1 ? { max_server_per_host: maxServerPerHost } : {} };
}
