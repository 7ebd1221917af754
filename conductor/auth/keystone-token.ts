/**
 * From what Keystone says about a token to a caller. Pure.
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

/** undefined for a token that does not say who holds it, with which roles, and until when. */
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

/** A token has one scope: Keystone sees to that. */
function scopeOf({ system, project }: JsonObject): Scope {
  if (isJsonObject(system)) return system['all'] === true ? { kind: 'system' } : { kind: 'none' };
  if (!isJsonObject(project)) return { kind: 'none' };
  const { id } = project;
  return typeof id === 'string' && id !== '' ? { kind: 'project', id } : { kind: 'none' };
}

/** The domain counts as well: whoever administers another one may call a project there what they like. */
function inServiceProject({ project }: JsonObject, services: ServiceProject): boolean {
  if (!isJsonObject(project)) return false;
  const domain: Json | undefined = project['domain'];
  return (
    project['name'] === services.serviceProject &&
    isJsonObject(domain) &&
    domain['name'] === services.serviceProjectDomain
  );
}
