/**
 * What a request for a token says (Identity API v3, `POST /v3/auth/tokens`). Pure.
 */
import { IngotError } from '../../domain/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';

/** Named by one of the two. */
export interface Named {
  readonly id?: string;
  readonly name?: string;
}

export type Proof =
  | {
      readonly method: 'password';
      readonly user: string;
      /** Undefined for a user named by id, whose domain follows. */
      readonly domain: Named | undefined;
      readonly password: string;
    }
  | { readonly method: 'token'; readonly token: string };

export type WantedScope =
  | { readonly kind: 'project'; readonly project: Named; readonly domain: Named | undefined }
  | { readonly kind: 'system' | 'none' | 'unsaid' }
  | { readonly kind: 'domain' };

export interface AuthRequest {
  readonly proof: Proof;
  readonly scope: WantedScope;
}

/** Long enough for every token of ours, short enough for nothing else. */
const MAX_TEXT = 4096;

/** Throws invalidParameter for a request of another shape, unauthorized for a method that is not here. */
export function parseAuthRequest(body: unknown): AuthRequest {
  const auth = objectIn(body, 'auth', '');
  const identity = objectIn(auth, 'identity', 'auth.');
  const methods = identity['methods'];
  if (!Array.isArray(methods) || methods.length === 0) throw wrong('auth.identity.methods must be a list');
  const [method] = methods;
  if (methods.length > 1 || (method !== 'password' && method !== 'token')) {
    throw new IngotError(
      'unauthorized',
      'Attempted to authenticate with an unsupported method: there are password and token, one at a time.',
    );
  }
  const proof = method === 'password' ? passwordProof(identity) : tokenProof(identity);
  return { proof, scope: scopeOf(auth['scope']) };
}

function passwordProof(identity: JsonObject): Proof {
  const at = 'auth.identity.password.';
  const user = objectIn(objectIn(identity, 'password', 'auth.identity.'), 'user', at);
  const password = textIn(user, 'password', `${at}user.`);
  const { id, name } = namedIn(user, `${at}user`);
  if (id !== undefined) return { method: 'password', user: id, domain: undefined, password };
  const domain = namedIn(objectIn(user, 'domain', `${at}user.`), `${at}user.domain`);
  return { method: 'password', user: name ?? '', domain, password };
}

function tokenProof(identity: JsonObject): Proof {
  const token = objectIn(identity, 'token', 'auth.identity.');
  return { method: 'token', token: textIn(token, 'id', 'auth.identity.token.') };
}

function scopeOf(scope: Json | undefined): WantedScope {
  if (scope === undefined || scope === null) return { kind: 'unsaid' };
  if (scope === 'unscoped') return { kind: 'none' };
  if (!isJsonObject(scope)) throw wrong('auth.scope must be an object or "unscoped"');
  const [kind, ...others] = Object.keys(scope);
  if (kind === undefined) return { kind: 'none' };
  if (others.length > 0) throw wrong('auth.scope must name one thing');
  if (kind === 'unscoped') return { kind: 'none' };
  if (kind === 'domain') return { kind };
  if (kind === 'system') {
    if (objectIn(scope, kind, 'auth.scope.')['all'] === true) return { kind };
    throw wrong('auth.scope.system.all must be true');
  }
  if (kind !== 'project') throw wrong('auth.scope must be project, system or unscoped');
  const given = objectIn(scope, kind, 'auth.scope.');
  const project = namedIn(given, 'auth.scope.project');
  if (project.id !== undefined) return { kind, project, domain: undefined };
  const domain = namedIn(objectIn(given, 'domain', 'auth.scope.project.'), 'auth.scope.project.domain');
  return { kind, project, domain };
}

function objectIn(value: unknown, name: string, at: string): JsonObject {
  const inner = isJsonObject(value) ? value[name] : undefined;
  if (inner !== undefined && isJsonObject(inner)) return inner;
  throw wrong(`${at}${name} must be an object`);
}

function textIn(value: JsonObject, name: string, at: string): string {
  const text = value[name];
  if (typeof text === 'string' && text !== '' && text.length <= MAX_TEXT) return text;
  throw wrong(`${at}${name} must be a text of 1 to ${MAX_TEXT} characters`);
}

function namedIn(value: JsonObject, at: string): Named {
  if (value['id'] !== undefined) return { id: textIn(value, 'id', `${at}.`) };
  if (value['name'] !== undefined) return { name: textIn(value, 'name', `${at}.`) };
  throw wrong(`${at} needs an id or a name`);
}

const wrong = (message: string): IngotError => new IngotError('invalidParameter', message);
