/**
 * The whole façade as conductor/app creates it, over an engine with fake hardware and a database in memory, called in
 * process. Authentication is real.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Access } from '@ingot/conductor/api/cloud/cloud-service.ts';
import { createComputeApp } from '@ingot/conductor/app/compute.ts';
import { type AuthSettings, createAuthentication } from '@ingot/conductor/auth/create-authentication.ts';
import { loadConfig } from '@ingot/conductor/config/config.ts';
import type { Store } from '@ingot/conductor/domain/store/store.ts';
import { createImageService } from '@ingot/conductor/image-service/create-image-service.ts';
import { openForImport } from '@ingot/conductor/images/import-source.ts';
import { examineDeclared } from '@ingot/conductor/images/inspect.ts';
import pino from 'pino';
import { createTestApi } from '../api.ts';
import { quietLogger } from '../engine-deps.ts';
import { loopbackOutbound } from '../outbound.ts';
import type { CloudAnswer } from './cloud.ts';

export interface CloudRoute {
  readonly method: string;
  /** With `:parameters`. */
  readonly url: string;
  readonly access: Access;
}

export interface WholeCloud extends AsyncDisposable {
  readonly routes: readonly CloudRoute[];
  readonly store: Store;
  /** Listens on loopback for clients; returns the URL. */
  listen(): Promise<string>;
  call(
    method: string,
    url: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
  ): Promise<CloudAnswer>;
}

const HOUR_MS = 3_600_000;

export async function createWholeCloud(auth: Partial<AuthSettings>): Promise<WholeCloud> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-cloud-'));
  const loaded = loadConfig(
    { file: null, fileName: '', environment: {}, flags: { dataDir: dir, computeListen: '127.0.0.1:1' } },
    { hostName: 'conductor-1', interfaces: {} },
  );
  if (!loaded.ok) throw new Error(loaded.problems.join());
  const { config } = loaded;
  const { engine, store, close } = await createTestApi();
  const logger = pino({ level: 'silent' });
  const now = (): Date => new Date();
  const library = createImageService({
    store,
    settings: {
      dir: join(dir, 'image-service'),
      maxBytes: 8_000_000,
      stallMs: 1000,
      importLimitMs: 1000,
      importPorts: ['80', '443'],
    },
    examine: examineDeclared,
    fetch: (url, options) => openForImport(url, { ...options, outbound: loopbackOutbound }),
    checkAddress: loopbackOutbound.checkAddress,
    prepared: async () => [],
    logger: quietLogger,
    now,
  });
  const authentication = createAuthentication(
    {
      ...{ auth: 'none', htpasswdFile: null, keystone: null, host: config.host },
      publicEndpoints: ['http://cloud.test'],
      tokens: { keyFile: join(dir, 'token.key'), lifetimeMs: HOUR_MS },
      ...auth,
    },
    { revoked: store.revokedTokens, logger, now },
  );
  const { cloud } = createComputeApp(
    { host: '127.0.0.1', port: 1 },
    { config, engine, store, images: library, authentication, tls: null, logger, now },
  );
  const routes: CloudRoute[] = [];
  cloud.addHook('onRoute', ({ method, url, config: route }) => {
    for (const one of [method].flat()) {
      if (one !== 'HEAD' && one !== 'OPTIONS' && route?.access !== undefined)
        routes.push({ method: one, url, access: route.access });
    }
  });
  await cloud.ready();
  return {
    routes,
    store,
    listen: () => cloud.listen({ host: '127.0.0.1', port: 0 }),
    async call(method, url, body, headers) {
      const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const answer = await cloud.inject({
        ...{ method: method as 'GET', url, ...payload },
        headers: { host: 'cloud.test', ...type, ...headers },
      });
      const isJson = String(answer.headers['content-type']).includes('json') && answer.body !== '';
      return {
        status: answer.statusCode,
        body: isJson ? JSON.parse(answer.body) : answer.body,
        headers: answer.headers,
      };
    },
    async [Symbol.asyncDispose]() {
      await cloud.close();
      await authentication.close?.();
      await library.stop();
      await close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
