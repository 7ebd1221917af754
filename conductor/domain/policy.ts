/**
 * Who may do what: Ironic's policies by name, with the defaults of its role-based access control, as one table.
 *
 * A caller has a role on the whole system or in one project. A project can be the owner or the lessee of a node. Each
 * policy names the lowest role that is sufficient in each of these relations:
 *
 *   system   the role with system scope
 *   owner    the role in the project that owns the object
 *   lessee   the role in the project to which the node is leased
 *   any      the role in any project; the result is limited to that project's own objects
 *   service  the role `service` is sufficient, too: with system scope, or in the project that `owner` or `any` means
 *
 * A role includes all before it: reader, member, manager, admin.
 */
export const ROLES = ['reader', 'member', 'manager', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export interface Rule {
  readonly system: Role;
  readonly owner?: Role;
  readonly lessee?: Role;
  readonly any?: Role;
  readonly service?: true;
}

/** Only system roles are sufficient. */
const systemOnly = (role: Role): Rule => ({ system: role });
const SYSTEM_READ: Rule = { system: 'reader', service: true };
/** Lists: everybody may read them and sees their own objects. */
const OWN_LIST: Rule = { system: 'reader', any: 'reader', service: true };

const READ: Rule = { system: 'reader', owner: 'reader', lessee: 'reader', service: true };
const OWNER_READ: Rule = { system: 'reader', owner: 'reader', service: true };
/** Use of a node. */
const USE: Rule = { system: 'member', owner: 'member', lessee: 'member', service: true };
/** Changes of what a node does: members of the owner, managers of the lessee. */
const OPERATE: Rule = { system: 'member', owner: 'member', lessee: 'manager', service: true };
/** Changes of the node's record. */
const OWN: Rule = { system: 'member', owner: 'member', service: true };
const MANAGE: Rule = { system: 'member', owner: 'manager', service: true };
const MANAGE_STORAGE: Rule = { system: 'member', owner: 'manager', lessee: 'manager', service: true };
const WIRE: Rule = { system: 'admin', owner: 'manager', service: true };

export const POLICIES = {
  'node:create': { system: 'admin', any: 'admin', service: true },
  'node:list': OWN_LIST,
  'node:list_all': SYSTEM_READ,
  'node:get': READ,
  'node:get:filter_threshold': SYSTEM_READ,
  'node:get:last_error': OWNER_READ,
  'node:get:reservation': OWNER_READ,
  'node:get:driver_internal_info': OWNER_READ,
  'node:get:driver_info': OWNER_READ,
  'node:update': USE,
  'node:update_extra': USE,
  'node:update_instance_info': OPERATE,
  'node:update_owner_provisioned': systemOnly('admin'),
  'node:update:driver_info': OWN,
  'node:update:properties': OWN,
  'node:update:instance_uuid': OWN,
  'node:update:lessee': OWN,
  'node:update:network_data': OWN,
  'node:update:name': OWN,
  'node:update:retired': OWN,
  'node:update:driver_interfaces': MANAGE,
  'node:update:owner': systemOnly('member'),
  'node:update:conductor_group': systemOnly('member'),
  'node:update:chassis_uuid': systemOnly('admin'),
  'node:update:shard': systemOnly('admin'),
  'node:update:parent_node': systemOnly('member'),
  'node:update:disable_power_off': systemOnly('admin'),
  'node:disable_cleaning': systemOnly('admin'),
  'node:delete': { system: 'admin', owner: 'admin' },
  'node:validate': OPERATE,
  'node:set_maintenance': OPERATE,
  'node:clear_maintenance': OPERATE,
  'node:get_boot_device': MANAGE,
  'node:set_boot_device': MANAGE,
  'node:get_indicator_state': READ,
  'node:set_indicator_state': OWN,
  'node:inject_nmi': MANAGE,
  'node:get_states': READ,
  'node:set_power_state': USE,
  'node:set_boot_mode': USE,
  'node:set_secure_boot': USE,
  'node:set_provision_state': OPERATE,
  'node:set_raid_state': OWN,
  'node:get_console': OWN,
  'node:set_console_state': OWN,
  'node:vif:list': READ,
  'node:vif:attach': OPERATE,
  'node:vif:detach': OPERATE,
  'node:vmedia:get': READ,
  'node:vmedia:attach': OPERATE,
  'node:vmedia:detach': OPERATE,
  'node:traits:list': READ,
  'node:traits:set': MANAGE,
  'node:traits:delete': MANAGE,
  'node:bios:get': READ,
  'node:firmware:get': READ,
  'node:history:get': OWNER_READ,
  'node:inventory:get': OWNER_READ,
  'node:vendor_passthru': systemOnly('admin'),
  'shards:get': SYSTEM_READ,
  'port:get': READ,
  'port:list': OWN_LIST,
  'port:create': WIRE,
  'port:update': MANAGE,
  'port:delete': WIRE,
  'portgroup:get': READ,
  'portgroup:list': OWN_LIST,
  'portgroup:create': WIRE,
  'portgroup:update': MANAGE,
  'portgroup:delete': WIRE,
  'chassis:get': SYSTEM_READ,
  'chassis:create': systemOnly('admin'),
  'chassis:update': systemOnly('member'),
  'chassis:delete': systemOnly('admin'),
  'driver:get': SYSTEM_READ,
  'driver:get_properties': SYSTEM_READ,
  'driver:get_raid_logical_disk_properties': SYSTEM_READ,
  'driver:vendor_passthru': systemOnly('admin'),
  'volume:list': OWN_LIST,
  'volume:get': READ,
  'volume:create': MANAGE_STORAGE,
  'volume:update': OPERATE,
  'volume:delete': MANAGE_STORAGE,
  'volume:view_target_properties': { system: 'reader', any: 'admin', service: true },
  'conductor:get': SYSTEM_READ,
  'allocation:list': OWN_LIST,
  'allocation:list_all': SYSTEM_READ,
  'allocation:get': { system: 'reader', owner: 'reader', service: true },
  'allocation:create': { system: 'member', any: 'member' },
  'allocation:create_restricted': systemOnly('member'),
  'allocation:update': { system: 'member', owner: 'member' },
  'allocation:delete': { system: 'member', owner: 'member' },
  'api:describe': OWN_LIST,
  'events:post': systemOnly('admin'),
  'deploy_template:get': SYSTEM_READ,
  'deploy_template:create': systemOnly('admin'),
  'deploy_template:update': systemOnly('admin'),
  'deploy_template:delete': systemOnly('admin'),
  'runbook:list': OWN_LIST,
  'runbook:list_all': SYSTEM_READ,
  // Own and public runbooks.
  'runbook:get': OWN_LIST,
  'runbook:use': MANAGE,
  'runbook:create': { system: 'member', any: 'manager', service: true },
  'runbook:update': MANAGE,
  'runbook:update:public': systemOnly('member'),
  'runbook:update:owner': systemOnly('member'),
  'runbook:delete': MANAGE,
  'inspection_rule:get': SYSTEM_READ,
  'inspection_rule:create': systemOnly('admin'),
  'inspection_rule:update': systemOnly('admin'),
  'inspection_rule:delete': systemOnly('admin'),
} as const satisfies Record<string, Rule>;

export type PolicyName = keyof typeof POLICIES;

/** Where the caller's roles apply. `none`: a token without scope, or for a domain, which owns nothing here. */
export type Scope =
  | { readonly kind: 'system' }
  | { readonly kind: 'project'; readonly id: string }
  | { readonly kind: 'none' };

export interface Caller {
  /** Name for the log; null when the caller was not asked for one. */
  readonly user: string | null;
  /** Keystone's user id, because users of two domains may have the same name. Unset when the name is the id. */
  readonly userId?: string;
  readonly scope: Scope;
  /** The highest of ROLES. */
  readonly role: Role | null;
  /** Has the role `service`. */
  readonly service: boolean;
  /** Administers the compute façade. Unset: callers with the role `admin` and system scope do. */
  readonly administersCloud?: boolean;
}

/** The projects that have a relation to an object. */
export interface Owned {
  readonly owner: string | null;
  readonly lessee?: string | null;
}

/** A caller with all rights, for APIs without roles. */
export const operator = (user: string | null): Caller => ({
  user,
  scope: { kind: 'system' },
  role: 'admin',
  service: false,
});

const holds = (caller: Caller, least: Role | undefined): boolean =>
  least !== undefined && caller.role !== null && ROLES.indexOf(caller.role) >= ROLES.indexOf(least);

/** Whether the caller may do this to the object. Without an object: whether the policy allows the caller anything. */
export function allows(caller: Caller, policy: PolicyName, object?: Owned): boolean {
  const rule: Rule = POLICIES[policy];
  const serves = caller.service && rule.service === true;
  if (caller.scope.kind === 'system') return serves || holds(caller, rule.system);
  if (caller.scope.kind === 'none') return false;
  const { id } = caller.scope;
  if (rule.any !== undefined && (serves || holds(caller, rule.any))) return true;
  if (object === undefined) return false;
  if (object.owner === id && rule.owner !== undefined && (serves || holds(caller, rule.owner))) return true;
  return object.lessee === id && holds(caller, rule.lessee);
}

/** The project whose objects the caller sees; undefined with system scope, which sees everything. */
export function projectOf({ scope }: Caller): string | undefined {
  if (scope.kind === 'system') return undefined;
  // No project has an empty id, so this caller sees nothing.
  return scope.kind === 'project' ? scope.id : '';
}

/** The rule as text: `system member, owner's member, lessee's manager, service`. */
export function describeRule(policy: PolicyName): string {
  const rule: Rule = POLICIES[policy];
  return [
    `system ${rule.system}`,
    ...(rule.owner === undefined ? [] : [`owner's ${rule.owner}`]),
    ...(rule.lessee === undefined ? [] : [`lessee's ${rule.lessee}`]),
    ...(rule.any === undefined ? [] : [`any project's ${rule.any}`]),
    ...(rule.service === undefined ? [] : ['service']),
  ].join(', ');
}
