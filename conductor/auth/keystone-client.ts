/**
 * Validates tokens with Keystone (Identity API v3), using a token of our own: `GET /v3/auth/tokens`, X-Subject-Token.
 *
 * No error text or log line contains a token or password.
 */
import { readFileSync } from 'node:fs';
import type { Agent } from 'undici';
import { IngotError } from '../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../domain/json.ts';

/** Enough for a token with a large catalog; requests with `nocatalog` get none. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Our own token is renewed when it has less than this left. */
const RENEW_BEFORE_MS = 60_000;

export interface KeystoneAccess {
  /** With or without `/v3` at its end. */
  readonly authUrl: string;
  readonly username: string;
  readonly password: string;
  /** Name of the domain, as in projectDomain. */
  readonly userDomain: string;
  /** Scope of our own token: this project, or the whole system when null. */
  readonly project: string | null;
  readonly projectDomain: string;
  /** PEM file with the CA certificates for verifying Keystone's certificate; null for the CAs that Node trusts. */
  readonly caFile: string | null;
  readonly timeoutMs: number;
}

export interface KeystoneClient {
  /** The `token` object of the answer; undefined when Keystone does not know the token. Throws unavailable. */
  tokenOf(subject: string): Promise<JsonObject | undefined>;
  close(): Promise<void>;
}

interface OwnToken {
  readonly id: string;
  readonly expiresAt: number;
}

interface KeystoneAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly subject: string | undefined;
}

export function createKeystoneClient(access: KeystoneAccess, now: () => number = Date.now): KeystoneClient {
  const { authUrl, timeoutMs } = access;
  const tokensUrl = `${authUrl.replace(/\/+$/, '').replace(/\/v3$/, '')}/v3/auth/tokens`;
  const place = new URL(tokensUrl).host;
  const closing = new AbortController();
  const trust = access.caFile === null ? {} : { ca: readFileSync(access.caFile, 'utf8') };
  let dispatcher: Agent | undefined;
  let own: Promise<OwnToken> | undefined;

  /** Callers learn only that tokens can not be checked; the log has the reason. */
  const down = (why: string): IngotError =>
    new IngotError('unavailable', 'Keystone can not be asked about tokens now. Try again in a moment.', {
      cause: new Error(`Keystone at ${place} ${why}`),
    });

  async function call(
    method: 'GET' | 'POST',
    headers: Record<string, string>,
    body: JsonObject | null,
  ): Promise<KeystoneAnswer> {
    const undici = await import('undici');
    dispatcher ??= new undici.Agent({
      connect: { timeout: timeoutMs, ...trust },
      maxResponseSize: MAX_ANSWER_BYTES,
    });
    try {
      const answer = await undici.request(`${tokensUrl}?nocatalog`, {
        dispatcher,
        method,
        headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
        body: body === null ? null : JSON.stringify(body),
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]),
      });
      const subject = [answer.headers['x-subject-token']].flat()[0];
      const text = await answer.body.text();
      const success = answer.statusCode === 200 || answer.statusCode === 201;
      return { status: answer.statusCode, body: success ? JSON.parse(text) : undefined, subject };
    } catch (error) {
      throw down(`did not answer (${(error as { code?: string }).code ?? (error as Error).name})`);
    }
  }

  async function logIn(): Promise<OwnToken> {
    const { username, password, userDomain, project, projectDomain } = access;
    const { status, body, subject } = await call(
      'POST',
      {},
      {
        auth: {
          identity: {
            methods: ['password'],
            password: { user: { name: username, domain: { name: userDomain }, password } },
          },
          scope:
            project === null
              ? { system: { all: true } }
              : { project: { name: project, domain: { name: projectDomain } } },
        },
      },
    );
    if (status !== 201 || subject === undefined) {
      throw down(`refused our own log-in as "${username}" with HTTP ${status}; see the keystone settings`);
    }
    const token = isJsonObject(body) ? body['token'] : undefined;
    const expiresAt = isJsonObject(token) ? Date.parse(String(token['expires_at'])) : Number.NaN;
    return { id: subject, expiresAt: Number.isNaN(expiresAt) ? now() + 2 * RENEW_BEFORE_MS : expiresAt };
  }

  /** One log-in at a time; others wait for it. */
  async function ownToken(): Promise<OwnToken> {
    own ??= logIn();
    const mine = own;
    try {
      const token = await mine;
      if (token.expiresAt - now() > RENEW_BEFORE_MS) return token;
    } catch (error) {
      forget(mine);
      throw error;
    }
    forget(mine);
    own ??= logIn();
    return own;
  }

  function forget(token: Promise<OwnToken>): void {
    if (own === token) own = undefined;
  }

  async function ask(subject: string): Promise<KeystoneAnswer> {
    const { id } = await ownToken();
    const answer = await call('GET', { 'x-auth-token': id, 'x-subject-token': subject }, null);
    // Our token was revoked, or Keystone has new keys. Keystone does not say which of the two tokens is invalid.
    if (answer.status === 401) own = undefined;
    return answer;
  }

  return {
    async tokenOf(subject) {
      let answer = await ask(subject);
      if (answer.status === 401) answer = await ask(subject);
      if (answer.status === 404) return undefined;
      const token = isJsonObject(answer.body) ? answer.body['token'] : undefined;
      if (answer.status === 200 && isJsonObject(token)) return token;
      throw down(`answered with HTTP ${answer.status}`);
    },
    async close() {
      closing.abort();
      await dispatcher?.destroy();
    },
  };
}
