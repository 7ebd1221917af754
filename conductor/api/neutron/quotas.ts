/**
 * The fixed quotas: ports of a project have a limit except for administrators; only administrators create networks.
 */

import type { FastifyRequest } from 'fastify';
import { listAll } from '../../domain/store/page.ts';
import { sees } from '../../identity/tenant.ts';
import { refused } from '../../network-service/network-error.ts';
import { PORT_QUOTA } from '../../network-service/port-quota.ts';
import { described } from '../cloud/cloud-route.ts';
import type { ComputeDeps } from '../cloud/deps.ts';
import type { App } from '../kit/app.ts';
import { VERSION } from './collection.ts';

/** -1: no limit; 0: the resource does not exist. */
const QUOTA = {
  ...{ network: -1, subnet: -1, port: PORT_QUOTA, subnetpool: 0, router: 0, floatingip: 0 },
  ...{ security_group: 0, security_group_rule: 0, rbac_policy: 0 },
};

export function registerQuotas(app: App, { store }: ComputeDeps): void {
  const path = `${VERSION}/quotas`;

  function projectOf(request: FastifyRequest): string {
    const { project } = request.params as { readonly project: string };
    if (!sees(request.tenant, project))
      throw refused.forbidden(
        "Policy doesn't allow reading the quota of another project: it needs the role admin.",
      );
    return project;
  }

  app.get(
    path,
    described('admin', 'List quotas that were set: always none', { list: 'quotas' }),
    async () => ({ quotas: [] }),
  );
  for (const suffix of ['', '/default']) {
    app.get(
      `${path}/:project${suffix}`,
      described('reader', 'Show the quotas of a project', { item: 'quota' }),
      async (request) => {
        projectOf(request);
        return { quota: QUOTA };
      },
    );
  }
  for (const suffix of ['details', 'details.json']) {
    app.get(
      `${path}/:project/${suffix}`,
      described('reader', 'Show the quotas of a project and what it uses', { item: 'quota' }),
      async (request) => {
        const filter = { projectId: projectOf(request) };
        const { networks, subnets, networkPorts } = store.compute;
        const used: Readonly<Record<string, number>> = {
          network: (await listAll(networks, filter)).length,
          subnet: (await listAll(subnets, filter)).length,
          port: (await listAll(networkPorts, filter)).length,
        };
        const detailOf = ([name, limit]: [string, number]) => [
          name,
          { limit, used: used[name] ?? 0, reserved: 0 },
        ];
        return { quota: Object.fromEntries(Object.entries(QUOTA).map(detailOf)) };
      },
    );
  }
  app.put(`${path}/:project`, described('admin', 'Refused: quotas cannot be set'), async () => {
    throw refused.unsupported(
      `Quotas are not set per project here: a project has up to ${PORT_QUOTA} ports, administrators any number.`,
    );
  });
}
