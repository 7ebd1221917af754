/**
 * Checks every request against the policy of its route before its body is read, and again when the body names a node or
 * a port group, or changes a field of a node that has a policy of its own.
 *
 * Callers whom the policy allows for every resource pass at once. For other callers the owner of the resource is looked
 * up: the answer is 404 if they may not see the resource, and 403 if they see it but have no right to the request.
 */
import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError, notFound } from '../../../domain/errors.ts';
import { allows, type Caller, type Owned, type PolicyName } from '../../../domain/policy.ts';
import type { Recorded } from '../../../domain/resources.ts';
import type { RecordStore } from '../../../domain/store/records.ts';
import type { Store } from '../../../domain/store/store.ts';
import type { App } from '../../kit/app.ts';
import { findNode } from '../node-lookup.ts';
import { namedInBody, nodePatchPolicies, takesNodeInBody } from './body-policies.ts';
import { forbidden } from './refusals.ts';
import { type Guard, guardOf, type SubjectKind } from './route-policies.ts';
import { sees, seesNode } from './visibility.ts';

/** Adds the guard of route-policies.ts to all routes registered after this call. Throws for a route without a row. */
export function guardRoutes(app: App): void {
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    const guards = methods.map((method) => route.config?.guard ?? guardOf(method, route.url));
    const [guard] = guards;
    if (guard === undefined || guards.some((other) => other?.policy !== guard.policy)) {
      throw new Error(`No policy for ${methods.join()} ${route.url}: add a row to auth/route-policies.ts`);
    }
    route.config = { ...route.config, guard };
  });
}

export function authorize(app: App, store: Store): void {
  app.addHook('onRequest', (request, _, done) => {
    const { guard } = request.routeOptions.config;
    if (guard === undefined || guard.policy === 'public' || guard.policy === 'ramdisk') return done();
    const caller = callerOf(request);
    if (allows(caller, guard.policy)) return done();
    return checkRoute(store, request, caller, guard.policy, guard);
  });
  app.addHook('preHandler', (request, _, done) => {
    if (request.body == null) return done();
    const { guard } = request.routeOptions.config;
    if (guard === undefined || guard.policy === 'public' || guard.policy === 'ramdisk') return done();
    return checkBody(store, request, callerOf(request), guard.policy);
  });
}

function callerOf({ caller }: FastifyRequest): Caller {
  if (caller === null) throw new IngotError('unauthorized', 'This request needs authentication.');
  return caller;
}

/** Checks callers whom the policy does not allow for every resource. */
async function checkRoute(
  store: Store,
  request: FastifyRequest,
  caller: Caller,
  policy: PolicyName,
  { subject }: Guard,
): Promise<void> {
  const { scope } = caller;
  if (scope.kind !== 'project') throw forbidden(policy);
  // The node is in the body, which checkBody checks later. A caller without the right to its own nodes is refused now.
  const standing =
    subject === null && takesNodeInBody(policy)
      ? { owner: scope.id, lessee: scope.id }
      : await subjectOf(store, request, policy, subject);
  if (standing === undefined || !allows(caller, policy, standing)) throw forbidden(policy);
}

/** The owner of the resource that the request names. Throws notFound if the caller may not see the resource. */
async function subjectOf(
  store: Store,
  request: FastifyRequest,
  policy: PolicyName,
  subject: Guard['subject'],
): Promise<Owned | undefined> {
  if (subject === null) return undefined;
  const ident = identOf(request, subject.parameter);
  if (ident === undefined) throw new IngotError('missingParameter', 'Missing mandatory parameter: node');
  if (subject.kind !== 'node') return recordOwner(store, request, subject.kind, ident);
  const node = await findNode(store.nodes, request, ident);
  if (!policy.startsWith('allocation:')) return node;
  const allocation =
    node.allocationUuid === null ? undefined : await store.allocations.find(node.allocationUuid);
  if (allocation !== undefined) return { owner: allocation.owner };
  throw new IngotError('notFound', `Node ${ident} has no allocation.`);
}

function identOf(request: FastifyRequest, parameter: string | null): string | undefined {
  if (parameter !== null) return (request.params as Readonly<Record<string, string>>)[parameter];
  const { node_uuid: uuid, node } = request.query as Readonly<Record<string, string | string[]>>;
  return [uuid ?? node].flat()[0];
}

type Finder = Pick<RecordStore<Recorded>, 'find'>;

const RECORDS: Readonly<
  Record<Exclude<SubjectKind, 'node'>, { readonly label: string; of(store: Store): Finder }>
> = {
  port: { label: 'Port', of: (store) => store.ports },
  portgroup: { label: 'Portgroup', of: (store) => store.portgroups },
  connector: { label: 'Volume connector', of: (store) => store.volumeConnectors },
  target: { label: 'Volume target', of: (store) => store.volumeTargets },
  allocation: { label: 'Allocation', of: (store) => store.allocations },
  runbook: { label: 'Runbook', of: (store) => store.runbooks },
};

async function recordOwner(
  store: Store,
  request: FastifyRequest,
  kind: Exclude<SubjectKind, 'node'>,
  ident: string,
): Promise<Owned | undefined> {
  const { label, of } = RECORDS[kind];
  const record = await of(store).find(isUuid(ident) ? ident.toLowerCase() : ident);
  if (record === undefined || !(await sees(request, store.nodes, record))) {
    throw notFound(label, ident);
  }
  const { owner, nodeUuid } = record as Partial<Owned> & { readonly nodeUuid?: string };
  if (owner !== undefined) return { owner };
  return nodeUuid === undefined ? undefined : store.nodes.find(nodeUuid);
}

async function checkBody(
  store: Store,
  request: FastifyRequest,
  caller: Caller,
  policy: PolicyName,
): Promise<void> {
  if (policy === 'node:update') {
    for (const one of nodePatchPolicies(request.body)) await checkNodeField(store, request, caller, one);
    return;
  }
  if (!takesNodeInBody(policy) || allows(caller, policy)) return;
  const named = namedInBody(request.body);
  if (named.nodes.length === 0 && request.method === 'POST') {
    throw new IngotError('missingParameter', 'Missing mandatory parameter: node_uuid');
  }
  for (const uuid of named.nodes) {
    const node = await store.nodes.find(uuid);
    if (node === undefined || !seesNode(request, node)) {
      throw new IngotError('invalidParameter', `Node ${uuid} could not be found.`);
    }
    if (!allows(caller, policy, node)) throw forbidden(policy);
  }
  for (const uuid of named.portgroups) await recordOwner(store, request, 'portgroup', uuid);
}

async function checkNodeField(
  store: Store,
  request: FastifyRequest,
  caller: Caller,
  policy: PolicyName,
): Promise<void> {
  const settled = policy !== 'node:update:owner' || allows(caller, 'node:update_owner_provisioned');
  if (settled && allows(caller, policy)) return;
  const node = await findNode(store.nodes, request, identOf(request, 'node') ?? '');
  if (!allows(caller, policy, node)) throw forbidden(policy);
  if (settled || node.provisionState !== 'active') return;
  throw new IngotError(
    'conflict',
    `Cannot update owner of node "${node.uuid}" while it is in state "active": only a system admin may.`,
  );
}
