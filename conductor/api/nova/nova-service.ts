/**
 * The compute service: Nova's API over the façade's servers, under `/compute`.
 */

import type { CloudService } from '../cloud/cloud-service.ts';
import type { ComputeDeps } from '../cloud/deps.ts';
import type { App } from '../kit/app.ts';
import { negotiateVersions } from '../kit/microversion.ts';
import { absentListRoutes } from './catalog/absent-lists.ts';
import { aggregateRoutes } from './catalog/aggregates.ts';
import { availabilityZoneRoutes } from './catalog/availability-zones.ts';
import { extensionRoutes } from './catalog/extensions.ts';
import { externalEventRoutes } from './catalog/external-events.ts';
import { flavorAccessRoutes } from './catalog/flavor-access.ts';
import { flavorExtraSpecRoutes } from './catalog/flavor-extra-specs.ts';
import { flavorRoutes } from './catalog/flavors.ts';
import { hostRoutes } from './catalog/hosts.ts';
import { hypervisorRoutes } from './catalog/hypervisors.ts';
import { imageProxyRoutes } from './catalog/image-proxies.ts';
import { keypairRoutes } from './catalog/keypairs.ts';
import { limitRoutes } from './catalog/limits.ts';
import { networkProxyRoutes } from './catalog/network-proxies.ts';
import { quotaClassRoutes } from './catalog/quota-classes.ts';
import { schedulerExplainRoutes } from './catalog/scheduler-explain.ts';
import { schedulingReportRoutes } from './catalog/scheduling-reports.ts';
import { serverGroupRoutes } from './catalog/server-groups.ts';
import { serviceRoutes } from './catalog/services.ts';
import { tenantUsageRoutes } from './catalog/tenant-usage.ts';
import { usageAuditLogRoutes } from './catalog/usage-audit-log.ts';
import { novaErrorBody } from './errors.ts';
import { NOVA_VERSIONS } from './microversions.ts';
import { checkProjectInPath, PREFIX, routedPath } from './path.ts';
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
import { versionDocuments } from './version-documents.ts';

/** Registers routes by what follows the version: `/flavors/:id`. */
type Routes = (app: App, deps: ComputeDeps) => void;

/** All routes of a version. */
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
  hostRoutes,
  quotaClassRoutes,
  usageAuditLogRoutes,
  networkProxyRoutes,
  imageProxyRoutes,
  externalEventRoutes,
  absentListRoutes,
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
  requestIdHeader: 'X-Compute-Request-Id',
  isStrictAboutSlashes: true,
  routedPath,
  errorBody: novaErrorBody,
  register(app, deps) {
    versionDocuments(app, deps.settings.publicEndpoint);
    app.register(
      async (scope) => {
        negotiateVersions(scope, NOVA_VERSIONS);
        checkProjectInPath(scope);
        for (const register of ROUTES) register(scope, deps);
      },
      { prefix: '/v2.1' },
    );
  },
};
