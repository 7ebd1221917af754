/**
 * Parses a request for a token (Identity API v3, `POST /v3/auth/tokens`). Pure.
 */
import { IngotError } from '../../domain/errors.ts';
import { isJsonObject } from '../../domain/json.ts';
import {
  anything,
  type JsonType,
  list,
  mapped,
  openObject,
  optional,
  type Place,
  type Reader,
  text,
  type Words,
  wordsOf,
} from '../kit/readers.ts';

/** Either name or id is set. */
export interface Named {
  readonly id?: string;
  readonly name?: string;
}

export type Proof =
  | {
      readonly method: 'password';
      readonly user: string;
      /** Undefined for a user with an id, which determines the domain. */
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

/** Longer than every token of ours. */
const MAX_TEXT = 4096;
const word = text({ min: 1, max: MAX_TEXT });

const NAME = { id: optional(word), name: optional(word) };
const NAMED: Reader<Named> = mapped(openObject(NAME), nameOf);
const NAME_IN_DOMAIN = { ...NAME, domain: optional(NAMED) };

const METHODS = mapped(list(anything), (methods, at) =>
  methods.length === 0 ? at.refuse(methods, { kind: 'type', types: ['array'] }) : methods,
);
const USER = mapped(openObject({ password: word, ...NAME_IN_DOMAIN }), ({ password, ...user }, at): Proof => {
  const { id, name = '' } = nameOf(user, at);
  return { method: 'password', user: id ?? name, domain: domainOf(user, at), password };
});
const IDENTITY = openObject({
  methods: METHODS,
  password: optional(openObject({ user: USER })),
  token: optional(openObject({ id: word })),
});

const PROJECT = mapped(openObject(NAME_IN_DOMAIN), (given, at): WantedScope => {
  const project = nameOf(given, at);
  return { kind: 'project', project, domain: domainOf(given, at) };
});
const SYSTEM = mapped(
  openObject({ all: optional(anything) }),
  ({ all }, at): WantedScope =>
    all === true ? { kind: 'system' } : at.inside('all').refuse(all, 'must be true'),
);
const SCOPE: Reader<WantedScope> = {
  schema: {
    anyOf: [
      { type: 'null' },
      { const: 'unscoped' },
      {
        type: 'object',
        properties: { project: PROJECT.schema, system: SYSTEM.schema, domain: {}, unscoped: {} },
        additionalProperties: false,
        maxProperties: 1,
      },
    ],
  },
  read: scopeOf,
};

/** What `POST /v3/auth/tokens` takes. */
export const AUTH_BODY = openObject({ auth: openObject({ identity: IDENTITY, scope: optional(SCOPE) }) });

/** Throws invalidParameter for an invalid request, unauthorized for an unsupported method. */
export function parseAuthRequest(body: unknown): AuthRequest {
  const { auth } = AUTH_BODY.read(isJsonObject(body) ? body : {}, placeOf(''));
  const { methods, password, token } = auth.identity;
  const [method] = methods;
  if (methods.length > 1 || (method !== 'password' && method !== 'token')) {
    throw new IngotError(
      'unauthorized',
      'Attempted to authenticate with an unsupported method: there are password and token, one at a time.',
    );
  }
  const proof: Proof | undefined =
    method === 'password' ? password?.user : token && { method, token: token.id };
  return {
    proof: proof ?? placeOf(`auth.identity.${method}`).refuse(undefined, { kind: 'type', types: ['object'] }),
    scope: auth.scope ?? { kind: 'unsaid' },
  };
}

function nameOf({ id, name }: Named, at: Place): Named {
  if (id !== undefined) return { id };
  return name === undefined ? at.refuse(undefined, 'needs an id or a name') : { name };
}

/** A name is unique in its domain only; an id needs none. */
function domainOf({ id, domain }: Named & { readonly domain?: Named }, at: Place): Named | undefined {
  if (id !== undefined) return undefined;
  return domain ?? at.inside('domain').refuse(undefined, { kind: 'type', types: ['object'] });
}

function scopeOf(scope: unknown, at: Place): WantedScope {
  if (scope === null) return { kind: 'unsaid' };
  if (scope === 'unscoped') return { kind: 'none' };
  if (!isJsonObject(scope)) return at.refuse(scope, 'must be an object or "unscoped"');
  const [kind, ...others] = Object.keys(scope);
  if (others.length > 0) at.refuse(scope, 'must name one thing');
  if (kind === undefined || kind === 'unscoped') return { kind: 'none' };
  if (kind === 'domain') return { kind };
  if (kind === 'system') return SYSTEM.read(scope[kind], at.inside(kind));
  if (kind === 'project') return PROJECT.read(scope[kind], at.inside(kind));
  return at.refuse(scope, 'must be project, system or unscoped');
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

/** Of fields that are missing; the others are objects. */
const MISSING: Readonly<Record<string, JsonType>> = { methods: 'array', password: 'string', id: 'string' };

function placeOf(path: string): Place {
  const inside = (name: string | number): Place => placeOf(path === '' ? String(name) : `${path}.${name}`);
  return {
    minor: 0,
    isLenient: true,
    inside,
    refuse(value, fault) {
      if (typeof fault !== 'string' && fault.kind === 'required') {
        const type = MISSING[fault.name] ?? 'object';
        return inside(fault.name).refuse(undefined, { kind: 'type', types: [type] });
      }
      throw new IngotError('invalidParameter', `${path} ${wordsOf(WORDS, value, fault)}`);
    },
  };
}
