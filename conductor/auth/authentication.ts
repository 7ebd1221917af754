/**
 * Finds out who calls: with `none` nobody is asked, which is why that is for loopback; `http_basic` asks for a
 * name and password of a bcrypt htpasswd file; `keystone` for a token that Keystone knows. All listeners share one,
 * so that what is remembered of passwords and tokens counts for each.
 */
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { IngotError } from '../domain/errors.ts';
import type { Caller } from '../domain/policy.ts';
import { createBasicAuthentication } from './http-basic.ts';
import { createKeystoneAuthentication, type KeystoneSettings } from './keystone.ts';
import { createOpenDoor } from './open-door.ts';

export interface AuthSettings {
  readonly auth: 'none' | 'http_basic' | 'keystone';
  /** bcrypt htpasswd file, for http_basic. */
  readonly htpasswdFile: string | null;
  /** Where tokens are asked about, for keystone. */
  readonly keystone: KeystoneSettings | null;
  /** Names that callers know us by, for none: of the conductor, and in the URLs we are told they use. */
  readonly host: string;
  readonly publicEndpoints: readonly string[];
}

/** A 401: the header that says how to come back, and a body in a shape of its own that clients of Ironic know. */
export interface Challenge {
  readonly header: string;
  readonly body: {
    readonly error: { readonly code: 401; readonly message: string; readonly title?: string };
  };
}

export interface Authentication {
  /** The challenge for one without valid credentials. Throws what else is in the way. */
  callerOf(request: FastifyRequest): Promise<Caller | Challenge>;
  /** Asked on public routes too. Throws forbidden. */
  checkHost?(request: FastifyRequest): void;
  close?(): Promise<void>;
}

/** Throws missingParameter for settings that are not enough, and when the htpasswd file can not be used. */
export function createAuthentication(settings: AuthSettings, logger: FastifyBaseLogger): Authentication {
  switch (settings.auth) {
    case 'none':
      return createOpenDoor([settings.host], settings.publicEndpoints);
    case 'http_basic':
      if (settings.htpasswdFile === null) {
        throw new IngotError('missingParameter', 'http_basic needs an htpasswd file');
      }
      return createBasicAuthentication(settings.htpasswdFile, logger);
    case 'keystone':
      if (settings.keystone === null) {
        throw new IngotError('missingParameter', 'keystone needs to know where Keystone is');
      }
      return createKeystoneAuthentication(settings.keystone, logger);
  }
}
