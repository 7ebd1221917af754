/**
 * Events of servers that other services report to Nova. Here no work waits for them: they are acknowledged as in Nova
 * and have no effect. Nova's /os-server-external-events.
 */
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { byMinor, list, object, oneOf, optional, text } from '../../kit/readers.ts';
import { readBody, uuid } from '../request.ts';

const MAX_EVENTS = 1000;
const VOLUME_EXTENDED = 51;
const NAMES = ['network-changed', 'network-vif-plugged', 'network-vif-unplugged', 'network-vif-deleted'];

const BODY = object({
  events: list(
    object({
      server_uuid: uuid,
      name: byMinor((minor) => oneOf(minor < VOLUME_EXTENDED ? NAMES : [...NAMES, 'volume-extended'])),
      status: optional(oneOf(['failed', 'completed', 'in-progress'])),
      tag: optional(text({ max: 255 })),
    }),
    { min: 1, max: MAX_EVENTS },
  ),
});

export function externalEventRoutes(app: App, { store }: ComputeDeps): void {
  /** Nova's status code of each event. */
  async function codeOf(event: {
    readonly server_uuid: string;
    name: string;
    tag?: string;
  }): Promise<number> {
    const server = await store.compute.servers.find(event.server_uuid);
    if (server === undefined || server.vmState === 'deleted') return 404;
    if (event.name === 'volume-extended' && event.tag === undefined) return 400;
    return server.host === null ? 422 : 200;
  }

  app.post(
    '/os-server-external-events',
    described('admin', 'Report events of other services', { body: BODY, status: '2XX', list: 'events' }),
    async (request, reply) => {
      const { events } = readBody(request, BODY);
      const answered = await Promise.all(
        events.map(async (event) => {
          const code = await codeOf(event);
          return { ...event, status: code === 200 ? 'completed' : 'failed', code };
        }),
      );
      const failed = answered.filter(({ code }) => code !== 200);
      reply.code(failed.length === 0 ? 200 : 207);
      return { events: answered };
    },
  );
}
