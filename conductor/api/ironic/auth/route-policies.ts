/**
 * The policy of each route. A route without a row here can not be registered, so that no route is served without a
 * policy.
 *
 * `*` stands for a parameter of the path. The resource that the policy is about is the first parameter after one of the
 * paths in SUBJECTS.
 */
import type { PolicyName } from '../../../domain/policy.ts';

/**
 * `public`: open to everyone. `ramdisk`: open to everyone, with a rate limit per address.
 */
export type RoutePolicy = PolicyName | 'public' | 'ramdisk';

type Methods = Readonly<Partial<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', RoutePolicy>>>;

const VENDOR: Methods = {
  GET: 'node:vendor_passthru',
  POST: 'node:vendor_passthru',
  PUT: 'node:vendor_passthru',
  PATCH: 'node:vendor_passthru',
  DELETE: 'node:vendor_passthru',
};
const DRIVER_VENDOR: Methods = {
  GET: 'driver:vendor_passthru',
  POST: 'driver:vendor_passthru',
  PUT: 'driver:vendor_passthru',
  PATCH: 'driver:vendor_passthru',
  DELETE: 'driver:vendor_passthru',
};

export const ROUTE_POLICIES: Readonly<Record<string, Methods>> = {
  '/': { GET: 'public' },
  '/v1': { GET: 'public' },
  '/v1/lookup': { GET: 'ramdisk', POST: 'ramdisk' },
  '/v1/heartbeat/*': { POST: 'ramdisk' },
  '/v1/continue_inspection': { POST: 'ramdisk' },

  '/v1/nodes': { GET: 'node:list', POST: 'node:create' },
  '/v1/nodes/detail': { GET: 'node:list' },
  '/v1/nodes/validate': { GET: 'node:validate' },
  '/v1/nodes/*': { GET: 'node:get', PATCH: 'node:update', DELETE: 'node:delete' },
  '/v1/nodes/*/validate': { GET: 'node:validate' },
  '/v1/nodes/*/maintenance': { PUT: 'node:set_maintenance', DELETE: 'node:clear_maintenance' },
  '/v1/nodes/*/states': { GET: 'node:get_states' },
  '/v1/nodes/*/states/power': { PUT: 'node:set_power_state' },
  '/v1/nodes/*/states/provision': { PUT: 'node:set_provision_state' },
  '/v1/nodes/*/states/raid': { PUT: 'node:set_raid_state' },
  '/v1/nodes/*/states/console': { GET: 'node:get_console', PUT: 'node:set_console_state' },
  '/v1/nodes/*/states/boot_mode': { PUT: 'node:set_boot_mode' },
  '/v1/nodes/*/states/secure_boot': { PUT: 'node:set_secure_boot' },
  '/v1/nodes/*/management/boot_device': { GET: 'node:get_boot_device', PUT: 'node:set_boot_device' },
  '/v1/nodes/*/management/boot_device/supported': { GET: 'node:get_boot_device' },
  '/v1/nodes/*/management/inject_nmi': { PUT: 'node:inject_nmi' },
  '/v1/nodes/*/management/indicators': { GET: 'node:get_indicator_state' },
  '/v1/nodes/*/management/indicators/*': {
    GET: 'node:get_indicator_state',
    PUT: 'node:set_indicator_state',
  },
  '/v1/nodes/*/traits': { GET: 'node:traits:list', PUT: 'node:traits:set', DELETE: 'node:traits:delete' },
  '/v1/nodes/*/traits/*': { PUT: 'node:traits:set', DELETE: 'node:traits:delete' },
  '/v1/nodes/*/vifs': { GET: 'node:vif:list', POST: 'node:vif:attach' },
  '/v1/nodes/*/vifs/*': { DELETE: 'node:vif:detach' },
  '/v1/nodes/*/vmedia': {
    GET: 'node:vmedia:get',
    POST: 'node:vmedia:attach',
    DELETE: 'node:vmedia:detach',
  },
  '/v1/nodes/*/bios': { GET: 'node:bios:get' },
  '/v1/nodes/*/bios/*': { GET: 'node:bios:get' },
  '/v1/nodes/*/firmware': { GET: 'node:firmware:get' },
  '/v1/nodes/*/history': { GET: 'node:history:get' },
  '/v1/nodes/*/history/*': { GET: 'node:history:get' },
  '/v1/nodes/*/inventory': { GET: 'node:inventory:get' },
  '/v1/nodes/*/children': { GET: 'node:get' },
  '/v1/nodes/*/ports': { GET: 'port:get' },
  '/v1/nodes/*/ports/detail': { GET: 'port:get' },
  '/v1/nodes/*/portgroups': { GET: 'portgroup:get' },
  '/v1/nodes/*/portgroups/detail': { GET: 'portgroup:get' },
  '/v1/nodes/*/volume': { GET: 'volume:get' },
  '/v1/nodes/*/volume/connectors': { GET: 'volume:get' },
  '/v1/nodes/*/volume/targets': { GET: 'volume:get' },
  '/v1/nodes/*/allocation': { GET: 'allocation:get', DELETE: 'allocation:delete' },
  '/v1/nodes/*/vendor_passthru': VENDOR,
  '/v1/nodes/*/vendor_passthru/methods': VENDOR,
  '/v1/nodes/*/vendor_passthru/*': VENDOR,
  '/ingot/v1/nodes/*/timeline': { GET: 'node:history:get' },

  '/ingot/v1/openapi.json': { GET: 'api:describe' },
  '/ingot/v1/docs': { GET: 'api:describe' },
  '/ingot/v1/docs/page.js': { GET: 'api:describe' },
  '/ingot/v1/docs/swagger_ui.js': { GET: 'api:describe' },
  '/ingot/v1/docs/swagger_ui.css': { GET: 'api:describe' },

  '/v1/ports': { GET: 'port:list', POST: 'port:create' },
  '/v1/ports/detail': { GET: 'port:list' },
  '/v1/ports/*': { GET: 'port:get', PATCH: 'port:update', DELETE: 'port:delete' },
  '/v1/portgroups': { GET: 'portgroup:list', POST: 'portgroup:create' },
  '/v1/portgroups/detail': { GET: 'portgroup:list' },
  '/v1/portgroups/*': { GET: 'portgroup:get', PATCH: 'portgroup:update', DELETE: 'portgroup:delete' },
  '/v1/portgroups/*/ports': { GET: 'port:get' },
  '/v1/portgroups/*/ports/detail': { GET: 'port:get' },

  '/v1/volume': { GET: 'volume:list' },
  '/v1/volume/connectors': { GET: 'volume:list', POST: 'volume:create' },
  '/v1/volume/connectors/*': { GET: 'volume:get', PATCH: 'volume:update', DELETE: 'volume:delete' },
  '/v1/volume/targets': { GET: 'volume:list', POST: 'volume:create' },
  '/v1/volume/targets/*': { GET: 'volume:get', PATCH: 'volume:update', DELETE: 'volume:delete' },

  '/v1/allocations': { GET: 'allocation:list', POST: 'allocation:create' },
  '/v1/allocations/*': { GET: 'allocation:get', PATCH: 'allocation:update', DELETE: 'allocation:delete' },

  '/v1/chassis': { GET: 'chassis:get', POST: 'chassis:create' },
  '/v1/chassis/detail': { GET: 'chassis:get' },
  '/v1/chassis/*': { GET: 'chassis:get', PATCH: 'chassis:update', DELETE: 'chassis:delete' },
  '/v1/chassis/*/nodes': { GET: 'chassis:get' },
  '/v1/chassis/*/nodes/detail': { GET: 'chassis:get' },

  '/v1/drivers': { GET: 'driver:get' },
  '/v1/drivers/*': { GET: 'driver:get' },
  '/v1/drivers/*/properties': { GET: 'driver:get_properties' },
  '/v1/drivers/*/raid/logical_disk_properties': { GET: 'driver:get_raid_logical_disk_properties' },
  '/v1/drivers/*/vendor_passthru': DRIVER_VENDOR,
  '/v1/drivers/*/vendor_passthru/methods': DRIVER_VENDOR,
  '/v1/drivers/*/vendor_passthru/*': DRIVER_VENDOR,
  '/v1/conductors': { GET: 'conductor:get' },
  '/v1/conductors/*': { GET: 'conductor:get' },
  '/v1/shards': { GET: 'shards:get' },
  '/v1/events': { POST: 'events:post' },

  '/v1/deploy_templates': { GET: 'deploy_template:get', POST: 'deploy_template:create' },
  '/v1/deploy_templates/*': {
    GET: 'deploy_template:get',
    PATCH: 'deploy_template:update',
    DELETE: 'deploy_template:delete',
  },
  '/v1/runbooks': { GET: 'runbook:list', POST: 'runbook:create' },
  '/v1/runbooks/*': { GET: 'runbook:get', PATCH: 'runbook:update', DELETE: 'runbook:delete' },
  '/v1/runbooks/*/traits': { GET: 'runbook:get', PUT: 'runbook:update', DELETE: 'runbook:update' },
  '/v1/runbooks/*/traits/*': { PUT: 'runbook:update', DELETE: 'runbook:update' },
  '/v1/inspection_rules': {
    GET: 'inspection_rule:get',
    POST: 'inspection_rule:create',
  },
  '/v1/inspection_rules/*': {
    GET: 'inspection_rule:get',
    PATCH: 'inspection_rule:update',
    DELETE: 'inspection_rule:delete',
  },
};

export type SubjectKind = 'node' | 'port' | 'portgroup' | 'connector' | 'target' | 'allocation' | 'runbook';

/** Collections whose resources have an owner, directly or through their node. */
const SUBJECTS: Readonly<Record<string, SubjectKind>> = {
  '/v1/nodes': 'node',
  '/ingot/v1/nodes': 'node',
  '/v1/ports': 'port',
  '/v1/portgroups': 'portgroup',
  '/v1/volume/connectors': 'connector',
  '/v1/volume/targets': 'target',
  '/v1/allocations': 'allocation',
  '/v1/runbooks': 'runbook',
};

export interface Guard {
  readonly policy: RoutePolicy;
  /**
   * The resource that the request names: its kind, and the parameter of the path that identifies it; null means the
   * query arguments `node_uuid` and `node`.
   */
  readonly subject: { readonly kind: SubjectKind; readonly parameter: string | null } | null;
}

const starred = (url: string): string => url.replaceAll(/:\w+/g, '*');

/** The guard of a route; undefined for a route without a row. */
export function guardOf(method: string, url: string): Guard | undefined {
  const policy = ROUTE_POLICIES[starred(url)]?.[method === 'HEAD' ? 'GET' : (method as keyof Methods)];
  if (policy === undefined) return undefined;
  if (url === '/v1/nodes/validate') return { policy, subject: { kind: 'node', parameter: null } };
  const [, collection = '', parameter = null] = /^([^:]+)\/:(\w+)/.exec(url) ?? [];
  const kind = SUBJECTS[collection];
  return { policy, subject: kind === undefined ? null : { kind, parameter } };
}
