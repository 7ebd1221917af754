/**
 * A Keystone on loopback with the requests that a service needs to check tokens: password log-in and `GET
 * /v3/auth/tokens`, as documented in the Identity API v3.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { KeystoneSettings } from '@ingot/conductor/auth/keystone.ts';

const HOUR_MS = 3_600_000;

export interface TokenSpec {
  readonly user?: string;
  readonly roles?: readonly string[];
  /** Without either: an unscoped token. */
  readonly system?: boolean;
  /** Id of the project. */
  readonly project?: string;
  readonly projectName?: string;
  readonly projectDomain?: string;
  readonly expiresAt?: Date;
}

export interface FakeKeystone extends AsyncDisposable {
  readonly settings: KeystoneSettings;
  /** Adds a valid token. */
  issue(spec: TokenSpec): string;
  /** Revokes one token, or all. */
  revoke(token?: string): void;
  /** Answers every call with this status; null ends this. */
  failWith(status: number | null): void;
  /** While true, calls get no answer. */
  hang(on: boolean): void;
  readonly calls: { logIns: number; checks: number };
}

/** Keystone's description of a token. */
function tokenBody(spec: TokenSpec): object {
  return {
    methods: ['password'],
    user: {
      id: `id-of-${spec.user ?? 'somebody'}`,
      name: spec.user ?? 'somebody',
      domain: { id: 'default', name: 'Default' },
    },
    audit_ids: ['x'],
    issued_at: new Date().toISOString(),
    expires_at: (spec.expiresAt ?? new Date(Date.now() + HOUR_MS)).toISOString(),
    ...(spec.roles === undefined ? {} : { roles: spec.roles.map((name) => ({ id: `id-of-${name}`, name })) }),
    ...(spec.system === true ? { system: { all: true } } : {}),
    ...(spec.project === undefined
      ? {}
      : {
          is_domain: false,
          project: {
            id: spec.project,
            name: spec.projectName ?? `name of ${spec.project}`,
            domain: { id: 'default', name: spec.projectDomain ?? 'Default' },
          },
        }),
  };
}

export async function startFakeKeystone(password = 'service-password'): Promise<FakeKeystone> {
  const tokens = new Map<string, TokenSpec>();
  const calls = { logIns: 0, checks: 0 };
  let failure: number | null = null;
  let hanging = false;

  const issue = (spec: TokenSpec): string => {
    const token = `gAAAA${randomBytes(40).toString('base64url')}`;
    tokens.set(token, spec);
    return token;
  };
  const send = (response: ServerResponse, status: number, body: object, headers = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
  const refuse = (response: ServerResponse, code: number): void =>
    send(response, code, { error: { code, message: 'no', title: 'no' } });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (hanging) return;
    if (failure !== null) return refuse(response, failure);
    if (request.url?.split('?')[0] !== '/v3/auth/tokens') return refuse(response, 404);
    if (request.method === 'POST') {
      calls.logIns += 1;
      const { identity, scope } = JSON.parse(body).auth;
      const { user } = identity.password;
      if (user.name !== 'ironic' || user.domain.name !== 'Default' || user.password !== password) {
        return refuse(response, 401);
      }
      if (scope.project?.name !== 'service' || scope.project.domain.name !== 'Default') {
        return refuse(response, 401);
      }
      const spec = { user: 'ironic', project: 'svc', projectName: 'service', roles: ['service'] };
      return send(response, 201, { token: tokenBody(spec) }, { 'x-subject-token': issue(spec) });
    }
    calls.checks += 1;
    if (!tokens.has(String(request.headers['x-auth-token']))) return refuse(response, 401);
    const spec = tokens.get(String(request.headers['x-subject-token']));
    if (spec === undefined) return refuse(response, 404);
    return send(response, 200, { token: tokenBody(spec) });
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => refuse(response, 500));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    settings: {
      authUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      username: 'ironic',
      password,
      userDomain: 'Default',
      project: 'service',
      projectDomain: 'Default',
      caFile: null,
      timeoutMs: 5_000,
      publicUrl: 'https://keystone.example/',
      cacheMs: 300_000,
      serviceProject: 'service',
      serviceProjectDomain: 'Default',
      adminProject: 'operators',
      adminProjectDomain: 'Default',
    },
    issue,
    revoke(token) {
      if (token === undefined) tokens.clear();
      else tokens.delete(token);
    },
    failWith(status) {
      failure = status;
    },
    hang(on) {
      hanging = on;
    },
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
