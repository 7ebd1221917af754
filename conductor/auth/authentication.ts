/**
 * The caller of a request, and the answer to unknown callers. Created by create-authentication.ts.
 */
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../domain/policy.ts';
import type { LocalTokens } from '../identity/local-tokens.ts';
import type { PasswordCheck } from './password-check.ts';

/** A 401: the WWW-Authenticate header, and a body in the shape that clients of Ironic expect. */
export interface Challenge {
  readonly header: string;
  readonly body: {
    readonly error: { readonly code: 401; readonly message: string; readonly title?: string };
  };
}

/** The dependencies of our own identity service. */
export interface LocalIdentity {
  readonly passwords: PasswordCheck;
  readonly tokens: LocalTokens;
}

export interface Authentication {
  /** The caller, or the challenge when the credentials are missing or not valid. Throws for other failures. */
  callerOf(request: FastifyRequest): Caller | Promise<Caller | Challenge>;
  /** Refuses requests of foreign web pages, by Host, Origin and Sec-Fetch-Site; also on public routes. Throws forbidden. */
  checkSource?(request: FastifyRequest): void;
  /** Undefined when Keystone issues the tokens, or when nothing issues any. */
  readonly identity?: LocalIdentity;
  close?(): Promise<void>;
}
