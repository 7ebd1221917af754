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

export interface ServiceProject {
  readonly serviceProject: string;
  readonly serviceProjectDomain: string;
}

/** undefined for a token without user, roles or expiry. */
export function parseToken(token: JsonObject, services: ServiceProject): Token | undefined {
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
  if (service && inServiceProject(token, services)) {
    return { expiresAt, caller: { ...who, scope: { kind: 'system' }, role: 'member' } };
  }
  const role = ROLES.findLast((one) => names.has(one)) ?? null;
  return { expiresAt, caller: { ...who, scope: scopeOf(token), role } };
}

/** Keystone guarantees that a token has only one scope. */
function scopeOf({ system, project }: JsonObject): Scope {
  if (isJsonObject(system)) return system['all'] === true ? { kind: 'system' } : { kind: 'none' };
  if (!isJsonObject(project)) return { kind: 'none' };
  const { id } = project;
  return typeof id === 'string' && id !== '' ? { kind: 'project', id } : { kind: 'none' };
}

/** The domain must match, too, because the administrator of another domain can give a project there any name. */
function inServiceProject({ project }: JsonObject, services: ServiceProject): boolean {
  if (!isJsonObject(project)) return false;
  const domain: Json | undefined = project['domain'];
  return (
    project['name'] === services.serviceProject &&
    isJsonObject(domain) &&
    domain['name'] === services.serviceProjectDomain
  );
}
