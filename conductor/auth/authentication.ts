/**
 * Finds out who calls: with `none` nobody is asked, which is why that is for loopback; `http_basic` asks for a
 * name and password of a bcrypt htpasswd file; `keystone` for a token that Keystone knows. All listeners share one,
 * so that what is remembered of passwords and tokens counts for each.
 */
import { randomBytes } from 'node:crypto';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { IngotError } from '../domain/errors.ts';
import type { Caller } from '../domain/policy.ts';
import type { RevokedTokens } from '../domain/store/revoked-tokens.ts';
import { createLocalTokens, type LocalTokens } from '../identity/local-tokens.ts';
import { readTokenKey } from '../identity/token-key.ts';
import { createAttemptLimit } from './attempt-limit.ts';
import { openHtpasswd } from './htpasswd.ts';
import { createBasicAuthentication } from './http-basic.ts';
import { createKeystoneAuthentication, type KeystoneSettings } from './keystone.ts';
import { createOpenDoor } from './open-door.ts';
import { createPasswordCheck, EVERY_PASSWORD, type PasswordCheck } from './password-check.ts';

export interface AuthSettings {
  readonly auth: 'none' | 'http_basic' | 'keystone';
  /** bcrypt htpasswd file, for http_basic. */
  readonly htpasswdFile: string | null;
  /** Where tokens are asked about, for keystone. */
  readonly keystone: KeystoneSettings | null;
  /** Names that callers know us by, for none: of the conductor, and in the URLs we are told they use. */
  readonly host: string;
  readonly publicEndpoints: readonly string[];
  /** Of our own; null where no identity service hands them out. */
  readonly tokens: { readonly keyFile: string; readonly lifetimeMs: number } | null;
}

export interface AuthDeps {
  readonly revoked: RevokedTokens;
  readonly logger: FastifyBaseLogger;
  readonly now: () => Date;
}

/** A 401: the header that says how to come back, and a body in a shape of its own that clients of Ironic know. */
export interface Challenge {
  readonly header: string;
  readonly body: {
    readonly error: { readonly code: 401; readonly message: string; readonly title?: string };
  };
}

/** What an identity service of our own works with. */
export interface LocalIdentity {
  readonly passwords: PasswordCheck;
  readonly tokens: LocalTokens;
}

export interface Authentication {
  /** The challenge for one without valid credentials. Throws what else is in the way. */
  callerOf(request: FastifyRequest): Caller | Promise<Caller | Challenge>;
  /** Asked on public routes too. Throws forbidden. */
  checkHost?(request: FastifyRequest): void;
  /** Missing where tokens are Keystone's, or not wanted. */
  readonly identity?: LocalIdentity;
  close?(): Promise<void>;
}

/** Throws missingParameter for settings that are not enough, and when a file of theirs can not be used. */
export function createAuthentication(settings: AuthSettings, deps: AuthDeps): Authentication {
  switch (settings.auth) {
    case 'none':
      return openToAll(settings, deps);
    case 'http_basic':
      return byPassword(settings, deps);
    case 'keystone':
      if (settings.keystone === null) {
        throw new IngotError('missingParameter', 'keystone needs to know where Keystone is');
      }
      return createKeystoneAuthentication(settings.keystone, deps.logger);
  }
}

/** Tokens open nothing here that is not open, and end with the process: clients get them because they ask. */
function openToAll(settings: AuthSettings, { revoked, now }: AuthDeps): Authentication {
  const door = createOpenDoor([settings.host], settings.publicEndpoints);
  if (settings.tokens === null) return door;
  const { lifetimeMs } = settings.tokens;
  const tokens = createLocalTokens({ key: randomBytes(32), lifetimeMs, hashOf: () => '', revoked, now });
  return { ...door, identity: { passwords: EVERY_PASSWORD, tokens } };
}

function byPassword(settings: AuthSettings, { revoked, logger, now }: AuthDeps): Authentication {
  if (settings.htpasswdFile === null) {
    throw new IngotError('missingParameter', 'http_basic needs an htpasswd file');
  }
  const users = openHtpasswd(settings.htpasswdFile, (error) =>
    logger.error({ err: error }, 'the htpasswd file can not be read again; its users stay as they were'),
  );
  const passwords = createPasswordCheck(
    users,
    createAttemptLimit(() => now().getTime()),
    logger,
  );
  if (settings.tokens === null) return createBasicAuthentication(passwords, null);
  const { keyFile, lifetimeMs } = settings.tokens;
  const { hashOf } = users;
  const tokens = createLocalTokens({ key: readTokenKey(keyFile), lifetimeMs, hashOf, revoked, now });
  return { ...createBasicAuthentication(passwords, tokens), identity: { passwords, tokens } };
}
