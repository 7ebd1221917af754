/**
 * Projects that may use a flavor that is not public. Nova's /flavors/{id}/os-flavor-access and two actions.
 */

import type { Flavor } from '../../../domain/compute.ts';
import { IngotError } from '../../../domain/errors.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { object, optional, text } from '../../kit/readers.ts';
import { readBody } from '../request.ts';
import { flavorOf } from './flavor-lookup.ts';

const PROJECT = object({ tenant: text({ min: 1, max: 255 }) });
const ACTION_BODY = object({ addTenantAccess: optional(PROJECT), removeTenantAccess: optional(PROJECT) });
/** From this microversion on, public flavors accept no projects. */
const REFUSES_PUBLIC = 7;

interface ById {
  Params: { id: string };
}

export function flavorAccessRoutes(app: App, { store, now }: ComputeDeps): void {
  app.get<ById>(
    '/flavors/:id/os-flavor-access',
    described('admin', 'List the projects that may use a flavor', { list: 'flavor_access' }),
    async (request) => {
      const flavor = await flavorOf(store, request.params.id, request.tenant);
      if (flavor.isPublic) throw new IngotError('notFound', 'Access list not available for public flavors.');
      return accessView(flavor);
    },
  );

  app.post<ById>(
    '/flavors/:id/action',
    described('admin', 'Add or remove a project that may use a flavor', {
      body: ACTION_BODY,
      list: 'flavor_access',
    }),
    async (request) => {
      const { addTenantAccess: add, removeTenantAccess: remove } = readBody(request, ACTION_BODY);
      const { tenant: project } = add ?? remove ?? {};
      if (project === undefined || (add !== undefined && remove !== undefined))
        throw new IngotError(
          'invalidParameter',
          'The body must have one of addTenantAccess, removeTenantAccess.',
        );
      return store.transaction(async (within) => {
        const flavor = await flavorOf(within, request.params.id, request.tenant);
        if (add !== undefined && flavor.isPublic && request.minor >= REFUSES_PUBLIC)
          throw new IngotError('conflict', 'Can not add access to a public flavor.');
        const projects = add === undefined ? withoutProject(flavor, project) : withProject(flavor, project);
        return accessView(await within.compute.flavors.update(flavor.uuid, { projects }, now()));
      });
    },
  );
}

const accessView = ({ uuid, projects }: Flavor) => ({
  flavor_access: projects.map((project) => ({ flavor_id: uuid, tenant_id: project })),
});

function withProject({ uuid, projects }: Flavor, project: string): readonly string[] {
  if (!projects.includes(project)) return [...projects, project];
  throw new IngotError(
    'conflict',
    `Flavor access already exists for flavor ${uuid} and project ${project} combination.`,
  );
}

function withoutProject({ uuid, projects }: Flavor, project: string): readonly string[] {
  if (projects.includes(project)) return projects.filter((one) => one !== project);
  throw new IngotError('notFound', `Flavor access not found for ${uuid} / ${project} combination.`);
}
