/**
 * Makes a caller from Keystone's description of a token. Pure.
 */
import { isJsonObject, type Json, type JsonObject } from '../domain/json.ts';
import { type Caller, ROLES, type Scope } from '../domain/policy.ts';

export interface Token {
  readonly caller: Caller;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Projects in which a role has more rights than elsewhere, by name and domain name. */
export interface TrustedProjects {
  /** The project in which the role `service` has the rights of a system member, as for Nova's user. */
  readonly serviceProject: string;
  readonly serviceProjectDomain: string;
  /** The project whose role `admin` administers the compute façade; null: none. */
  readonly adminProject: string | null;
  readonly adminProjectDomain: string;
}

/** undefined for a token without user, roles or expiry. */
export function parseToken(token: JsonObject, trusted: TrustedProjects): Token | undefined {
  const { user, roles = [], expires_at: expires } = token;
  const expiresAt = typeof expires === 'string' ? Date.parse(expires) : Number.NaN;
  if (Number.isNaN(expiresAt) || !isJsonObject(user) || !Array.isArray(roles)) return undefined;
  const names = new Set(roles.map((role) => String(isJsonObject(role) ? role['name'] : '').toLowerCase()));
  const service = names.has('service');
  const { id } = user;
  const who = {
    user: String(user['name'] ?? id),
    ...(typeof id === 'string' ? { userId: id } : {}),
    service,
  };
  if (service && isIn(token, trusted.serviceProject, trusted.serviceProjectDomain)) {
    const caller = { ...who, scope: { kind: 'system' }, role: 'member', administersCloud: true } as const;
    return { expiresAt, caller };
  }
  const scope = scopeOf(token);
  const role = ROLES.findLast((one) => names.has(one)) ?? null;
  const isTrusted = scope.kind === 'system' || isIn(token, trusted.adminProject, trusted.adminProjectDomain);
  return {
    expiresAt,
    caller: { ...who, scope, role, administersCloud: role === 'admin' && isTrusted },
  };
}

/** Keystone guarantees that a token has only one scope. */
function scopeOf({ system, project }: JsonObject): Scope {
  if (isJsonObject(system)) return system['all'] === true ? { kind: 'system' } : { kind: 'none' };
  if (!isJsonObject(project)) return { kind: 'none' };
  const { id } = project;
  return typeof id === 'string' && id !== '' ? { kind: 'project', id } : { kind: 'none' };
}

/** The domain must match, too, because the administrator of another domain can give a project there any name. */
function isIn({ project }: JsonObject, name: string | null, domainName: string): boolean {
  if (name === null || !isJsonObject(project)) return false;
  const domain: Json | undefined = project['domain'];
  return project['name'] === name && isJsonObject(domain) && domain['name'] === domainName;
}
