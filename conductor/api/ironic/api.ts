/**
 * The operators' API: Ironic's routes, and our own for the timeline and the OpenAPI document.
 */
import { pino } from 'pino';
import type { App, ServerTls } from '../kit/app.ts';
import { collectDocs, type DocumentedRoute } from '../kit/documented-routes.ts';
import { authenticate } from './auth/authenticate.ts';
import { authorize, guardRoutes } from './auth/authorize.ts';
import type { ApiDeps } from './deps.ts';
import { routeAccess } from './openapi.ts';
import { limitRamdiskCalls } from './ramdisk-limit.ts';
import { registerAllocations } from './routes/allocations.ts';
import { registerChassis } from './routes/chassis.ts';
import { registerConductors } from './routes/conductors.ts';
import { registerDeployTemplates } from './routes/deploy-templates.ts';
import { registerDrivers } from './routes/drivers.ts';
import { registerEvents } from './routes/events.ts';
import { registerInspectionRules } from './routes/inspection-rules.ts';
import { registerNodeBios } from './routes/node-bios.ts';
import { registerNodeChildren } from './routes/node-children.ts';
import { registerNodeConsole } from './routes/node-console.ts';
import { registerNodeCreate } from './routes/node-create.ts';
import { registerNodeFirmware } from './routes/node-firmware.ts';
import { registerNodeFirmwareBoot } from './routes/node-firmware-boot.ts';
import { registerNodeIndicators } from './routes/node-indicators.ts';
import { registerNodeLists } from './routes/node-list.ts';
import { registerNodeManagement } from './routes/node-management.ts';
import { registerNodePatch } from './routes/node-patch.ts';
import { registerNodeProvision } from './routes/node-provision.ts';
import { registerNodeRaid } from './routes/node-raid.ts';
import { registerNodeRecords } from './routes/node-records.ts';
import { registerNodeStates } from './routes/node-states.ts';
import { registerNodeTraits } from './routes/node-traits.ts';
import { registerNodeVifs } from './routes/node-vifs.ts';
import { registerNodeVmedia } from './routes/node-vmedia.ts';
import { registerNodes } from './routes/nodes.ts';
import { openApiText, registerOpenApi } from './routes/openapi.ts';
import { registerPortgroups } from './routes/portgroups.ts';
import { registerPorts } from './routes/ports.ts';
import { registerRamdiskRoutes } from './routes/ramdisk.ts';
import { registerRunbooks } from './routes/runbooks.ts';
import { registerShards } from './routes/shards.ts';
import { registerTimeline } from './routes/timeline.ts';
import { registerVendorPassthru } from './routes/vendor-passthru.ts';
import { registerVersionDocuments } from './routes/version-documents.ts';
import { registerVolume } from './routes/volume.ts';
import { BODY_BYTES, collectPaths, createServer, logChanges, refuseOtherMethods } from './server.ts';

const RESOURCES = [
  registerNodeLists,
  registerNodes,
  registerNodeCreate,
  registerNodePatch,
  registerNodeStates,
  registerNodeProvision,
  registerNodeManagement,
  registerNodeRecords,
  registerNodeChildren,
  registerPorts,
  registerPortgroups,
  registerChassis,
  registerNodeTraits,
  registerNodeConsole,
  registerNodeFirmwareBoot,
  registerNodeIndicators,
  registerNodeRaid,
  registerNodeVifs,
  registerNodeVmedia,
  registerNodeBios,
  registerNodeFirmware,
  registerVendorPassthru,
  registerDeployTemplates,
  registerRunbooks,
  registerInspectionRules,
  registerVolume,
  registerAllocations,
  registerShards,
  registerEvents,
  registerDrivers,
  registerConductors,
  registerTimeline,
] as const;

/** Creates the API without listening, for HTTPS if there are TLS options. The caller starts the listener and closes the API. */
export function createApi(deps: ApiDeps, tls?: ServerTls): App {
  const app = createServer(deps.logger, tls);
  limitRamdiskCalls(app, deps.config.ramdiskCallsPerMinute);
  authenticate(app, deps.authentication);
  authorize(app, deps.store);
  logChanges(app);
  registerOperatorApi(app, deps);
  return app;
}

/** Registers all routes, and 405 for the other methods of their paths. Returns the routes for the OpenAPI document. */
export function registerOperatorApi(app: App, deps: ApiDeps): readonly DocumentedRoute[] {
  guardRoutes(app);
  const documented = collectDocs(app, routeAccess, BODY_BYTES);
  const paths = collectPaths(app);
  registerVersionDocuments(app, deps, 'operator');
  for (const register of RESOURCES) register(app, deps);
  if (deps.ramdiskApart !== true) registerRamdiskRoutes(app, deps);
  registerOpenApi(app, documented);
  refuseOtherMethods(app, paths);
  return documented;
}

/** The OpenAPI document as text, without a conductor. Routes use their dependencies only when they are called. */
export function apiDocument(): string {
  const nothing = { engine: {}, store: {}, config: {} } as unknown as ApiDeps;
  return openApiText(registerOperatorApi(createServer(pino({ level: 'silent' })), nothing));
}
