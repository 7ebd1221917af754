/**
 * The OpenAPI document of the façade as text, without a conductor. Routes use their dependencies only when they are
 * called.
 */
import { pino } from 'pino';
import { createCloudServer } from '../api/cloud/cloud-server.ts';
import { createGlanceService } from '../api/glance/glance-service.ts';
import { createIdentityService } from '../api/keystone/identity-service.ts';
import { createNetworkService } from '../api/neutron/network-service.ts';
import { novaService } from '../api/nova/nova-service.ts';
import { createNoAuth } from '../auth/no-auth.ts';

/** An object whose properties are all empty objects. */
const nothing = <T extends object>(): T => new Proxy({}, { get: () => nothing() }) as T;

export async function computeDocument(): Promise<string> {
  const noAuth = createNoAuth([], []);
  const services = [
    novaService,
    createGlanceService(nothing()),
    createNetworkService(null),
    createIdentityService(nothing(), { region: '', bareMetalUrl: () => '' }),
  ];
  const cloud = createCloudServer(services, nothing(), noAuth, pino({ level: 'silent' }));
  const answer = await cloud.inject({ url: '/ingot/v1/openapi.json', headers: { host: 'localhost' } });
  return answer.body;
}
