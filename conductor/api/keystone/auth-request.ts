/**
 * What a request for a token says (Identity API v3, `POST /v3/auth/tokens`). Pure.
 */
import { IngotError } from '../../domain/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import {
  anyObject,
  anything,
  type JsonType,
  list,
  mapped,
  type Place,
  type Reader,
  text,
  type Words,
  wordsOf,
} from '../kit/readers.ts';

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
const METHODS = mapped(list(anything), (methods, at) =>
  methods.length === 0 ? at.refuse(methods, { kind: 'type', types: ['array'] }) : methods,
);

/** Throws invalidParameter for a request of another shape, unauthorized for a method that is not here. */
export function parseAuthRequest(body: unknown): AuthRequest {
  const auth = objectIn(isJsonObject(body) ? body : {}, 'auth');
  const identity = objectIn(auth, 'auth.identity');
  const methods = within(identity, 'auth.identity.methods', METHODS);
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
  const at = 'auth.identity.password.user';
  const user = objectIn(objectIn(identity, 'auth.identity.password'), at);
  const password = textIn(user, `${at}.password`);
  const { id, name } = namedIn(user, at);
  if (id !== undefined) return { method: 'password', user: id, domain: undefined, password };
  const domain = namedIn(objectIn(user, `${at}.domain`), `${at}.domain`);
  return { method: 'password', user: name ?? '', domain, password };
}

function tokenProof(identity: JsonObject): Proof {
  const token = objectIn(identity, 'auth.identity.token');
  return { method: 'token', token: textIn(token, 'auth.identity.token.id') };
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
    if (objectIn(scope, `auth.scope.${kind}`)['all'] === true) return { kind };
    throw wrong('auth.scope.system.all must be true');
  }
  if (kind !== 'project') throw wrong('auth.scope must be project, system or unscoped');
  const given = objectIn(scope, `auth.scope.${kind}`);
  const project = namedIn(given, 'auth.scope.project');
  if (project.id !== undefined) return { kind, project, domain: undefined };
  const domain = namedIn(objectIn(given, 'auth.scope.project.domain'), 'auth.scope.project.domain');
  return { kind, project, domain };
}

const TEXT = `must be a text of 1 to ${MAX_TEXT} characters`;
const TYPES: Readonly<Partial<Record<JsonType, string>>> = {
  object: 'must be an object',
  array: 'must be a list',
};

const WORDS: Words = {
  type: (_, { types: [type = 'string'] }) => TYPES[type] ?? TEXT,
  required: (_, { name }) => `must have ${name}`,
  unexpected: (_, { names }) => `must not have ${names.join(', ').slice(0, 64)}`,
  short: () => TEXT,
  long: () => TEXT,
  pattern: () => TEXT,
  range: () => TEXT,
  choice: (_, { choices }) => `must be one of ${choices.join(', ')}`,
  format: () => TEXT,
};

const placeOf = (path: string): Place => ({
  minor: 0,
  isLenient: true,
  inside: (name) => placeOf(path === '' ? String(name) : `${path}.${name}`),
  refuse(value, fault) {
    throw wrong(`${path} ${wordsOf(WORDS, value, fault)}`);
  },
});

const word = text({ min: 1, max: MAX_TEXT });

/** What stands in an object, under its path. */
const within = <T>(value: JsonObject, path: string, reader: Reader<T>): T =>
  reader.read(value[path.split('.').at(-1) ?? ''], placeOf(path));

const objectIn = (value: JsonObject, path: string): JsonObject => within(value, path, anyObject);
const textIn = (value: JsonObject, path: string): string => within(value, path, word);

function namedIn(value: JsonObject, path: string): Named {
  if (value['id'] !== undefined) return { id: textIn(value, `${path}.id`) };
  if (value['name'] !== undefined) return { name: textIn(value, `${path}.name`) };
  throw wrong(`${path} needs an id or a name`);
}

const wrong = (message: string): IngotError => new IngotError('invalidParameter', message);
