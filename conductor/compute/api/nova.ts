/**
 * The compute service: Nova's API over the façade's servers, under `/compute`.
 */
import type { ComputeDeps } from '../deps.ts';
import { aggregateRoutes } from './catalogue/aggregates.ts';
import { availabilityZoneRoutes } from './catalogue/availability-zones.ts';
import { extensionRoutes } from './catalogue/extensions.ts';
import { flavorAccessRoutes } from './catalogue/flavor-access.ts';
import { flavorExtraSpecRoutes } from './catalogue/flavor-extra-specs.ts';
import { flavorRoutes } from './catalogue/flavors.ts';
import { hypervisorRoutes } from './catalogue/hypervisors.ts';
import { keypairRoutes } from './catalogue/keypairs.ts';
import { limitRoutes } from './catalogue/limits.ts';
import { schedulerExplainRoutes } from './catalogue/scheduler-explain.ts';
import { schedulingReportRoutes } from './catalogue/scheduling-reports.ts';
import { serverGroupRoutes } from './catalogue/server-groups.ts';
import { serviceRoutes } from './catalogue/services.ts';
import { tenantUsageRoutes } from './catalogue/tenant-usage.ts';
import type { App, CloudService } from './cloud-service.ts';
import { novaErrorBody } from './nova-errors.ts';
import { checkProjectInPath, PREFIX, routedPath } from './nova-path.ts';
import { negotiateMicroversions, versionDocuments } from './nova-versions.ts';
import { remoteConsoleRoutes } from './servers/console-actions.ts';
import { instanceActionRoutes } from './servers/instance-action-routes.ts';
import { serverActionRoutes } from './servers/server-actions.ts';
import { serverCreateRoutes } from './servers/server-create.ts';
import { serverListRoutes } from './servers/server-list.ts';
import { serverMetadataRoutes } from './servers/server-metadata.ts';
import { serverNetworkingRoutes } from './servers/server-networking.ts';
import { serverReportRoutes } from './servers/server-reports.ts';
import { serverShowRoutes } from './servers/server-show.ts';
import { serverTagRoutes } from './servers/server-tags.ts';

/** Registers routes by what follows the version: `/flavors/:id`. */
type Routes = (app: App, deps: ComputeDeps) => void;

/** Everything there is below a version. */
const ROUTES: readonly Routes[] = [
  // what servers are made from and run on
  flavorRoutes,
  flavorExtraSpecRoutes,
  flavorAccessRoutes,
  keypairRoutes,
  serverGroupRoutes,
  aggregateRoutes,
  availabilityZoneRoutes,
  serviceRoutes,
  hypervisorRoutes,
  limitRoutes,
  tenantUsageRoutes,
  extensionRoutes,
  schedulingReportRoutes,
  schedulerExplainRoutes,
  // servers
  serverCreateRoutes,
  serverListRoutes,
  serverShowRoutes,
  serverActionRoutes,
  serverMetadataRoutes,
  serverTagRoutes,
  serverNetworkingRoutes,
  remoteConsoleRoutes,
  instanceActionRoutes,
  serverReportRoutes,
];

export const novaService: CloudService = {
  type: 'compute',
  prefix: PREFIX,
  routedPath,
  errorBody: novaErrorBody,
  register(app, deps) {
    app.decorateRequest('minor', 0);
    versionDocuments(app, deps.settings.publicEndpoint);
    app.register(
      async (scope) => {
        negotiateMicroversions(scope);
        checkProjectInPath(scope);
        for (const register of ROUTES) register(scope, deps);
      },
      { prefix: '/v2.1' },
    );
  },
};
