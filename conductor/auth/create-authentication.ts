/**
 * Authenticates callers by one of three methods: `none` accepts everybody, and is for loopback; `http_basic` checks a
 * name and password against a bcrypt htpasswd file; `keystone` asks Keystone about a token. All listeners share one
 * instance, so that they share its cache of passwords and tokens.
 */
import { randomBytes } from 'node:crypto';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { IngotError } from '../domain/errors.ts';
import type { RevokedTokens } from '../domain/store/revoked-tokens.ts';
import { createLocalTokens } from '../identity/local-tokens.ts';
import { readTokenKey } from '../identity/token-key.ts';
import { createAttemptLimit } from './attempt-limit.ts';
import type { Authentication } from './authentication.ts';
import { refuseForeignPage } from './foreign-page.ts';
import { openHtpasswd } from './htpasswd.ts';
import { createBasicAuthentication } from './http-basic.ts';
import { createKeystoneAuthentication, type KeystoneSettings } from './keystone.ts';
import { createNoAuth } from './no-auth.ts';
import { createPasswordCheck, EVERY_PASSWORD } from './password-check.ts';

export interface AuthSettings {
  readonly auth: 'none' | 'http_basic' | 'keystone';
  /** bcrypt htpasswd file, for http_basic. */
  readonly htpasswdFile: string | null;
  /** For keystone. */
  readonly keystone: KeystoneSettings | null;
  /** For none: the Host header may contain this name or a host of the public endpoints. */
  readonly host: string;
  readonly publicEndpoints: readonly string[];
  /** For tokens of our own identity service; null without one. */
  readonly tokens: { readonly keyFile: string; readonly lifetimeMs: number } | null;
}

export interface AuthDeps {
  readonly revoked: RevokedTokens;
  readonly logger: FastifyBaseLogger;
  readonly now: () => Date;
}

/** Throws missingParameter when a setting or a file that the method needs is missing. */
export function createAuthentication(settings: AuthSettings, deps: AuthDeps): Authentication {
  switch (settings.auth) {
    case 'none':
      return withoutAuth(settings, deps);
    case 'http_basic':
      return byPassword(settings, deps);
    case 'keystone':
      if (settings.keystone === null) {
        throw new IngotError('missingParameter', 'keystone needs to know where Keystone is');
      }
      return createKeystoneAuthentication(settings.keystone, deps.logger);
  }
}

/** Tokens give no additional rights here and end with the process. They are for clients that always request one. */
function withoutAuth(settings: AuthSettings, { revoked, now }: AuthDeps): Authentication {
  const noAuth = createNoAuth([settings.host], settings.publicEndpoints);
  if (settings.tokens === null) return noAuth;
  const { lifetimeMs } = settings.tokens;
  const tokens = createLocalTokens({ key: randomBytes(32), lifetimeMs, hashOf: () => '', revoked, now });
  return { ...noAuth, identity: { passwords: EVERY_PASSWORD, tokens } };
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
  // Browsers send a name and password that they know with the requests of every page.
  const checkSource = (request: FastifyRequest): void => refuseForeignPage(request, settings.publicEndpoints);
  if (settings.tokens === null) return { ...createBasicAuthentication(passwords, null), checkSource };
  const { keyFile, lifetimeMs } = settings.tokens;
  const { hashOf } = users;
  const tokens = createLocalTokens({ key: readTokenKey(keyFile), lifetimeMs, hashOf, revoked, now });
  return { ...createBasicAuthentication(passwords, tokens), identity: { passwords, tokens }, checkSource };
}
