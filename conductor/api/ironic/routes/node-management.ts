/**
 * `/v1/nodes/{node}/management/boot_device` and `/v1/nodes/{node}/maintenance`.
 */

import { parseFlag } from '@ingot/shared/ironic/field-values.ts';
import { IngotError } from '../../../domain/errors.ts';
import { BOOT_DEVICES, type BootDevice } from '../../../domain/node.ts';
import type { App } from '../../kit/app.ts';
import { type Static, Type } from '../../kit/body-schema.ts';
import { objectSchema } from '../../kit/field-schema.ts';
import { parseQuery } from '../../kit/query.ts';
import type { ApiDeps } from '../deps.ts';
import { nodeOf } from '../node-lookup.ts';

const BOOT_DEVICE_BODY = Type.Object(
  {
    boot_device: Type.String(),
    persistent: Type.Optional(Type.Union([Type.Boolean(), Type.String(), Type.Null()])),
  },
  { additionalProperties: false },
);
const MAINTENANCE_BODY = Type.Object(
  { reason: Type.Optional(Type.Union([Type.String({ maxLength: 4096 }), Type.Null()])) },
  { additionalProperties: false },
);

const DEVICE_DOC = {
  summary: 'Show the boot device',
  answer: objectSchema({
    boot_device: { type: ['string', 'null'] },
    persistent: { type: ['boolean', 'null'] },
  }),
};
const SUPPORTED_DOC = {
  summary: 'List the boot devices that can be set',
  answer: objectSchema({ supported_boot_devices: { type: 'array', items: { type: 'string' } } }),
};
const BOOT_DEVICE_ARGUMENTS = { persistent: { kind: 'flag' } } as const;
const SET_DEVICE_DOC = {
  summary: 'Set the boot device',
  status: 204,
  query: BOOT_DEVICE_ARGUMENTS,
} as const;
const MAINTENANCE_ARGUMENTS = { reason: { kind: 'text' } } as const;
const MAINTENANCE_DOC = {
  summary: 'Take a node into maintenance',
  status: 202,
  query: MAINTENANCE_ARGUMENTS,
} as const;
const END_MAINTENANCE_DOC = { summary: 'Take a node out of maintenance', status: 202 } as const;

const isBootDevice = (text: string): text is BootDevice => (BOOT_DEVICES as readonly string[]).includes(text);

export function registerNodeManagement(app: App, deps: ApiDeps): void {
  const { engine, store } = deps;

  app.get('/v1/nodes/:node/management/boot_device', { config: { doc: DEVICE_DOC } }, async (request) => {
    const { device, persistent } = await engine.getBootDevice((await nodeOf(store.nodes, request)).uuid);
    return { boot_device: device, persistent };
  });

  app.get(
    '/v1/nodes/:node/management/boot_device/supported',
    { config: { doc: SUPPORTED_DOC } },
    async (request) => ({
      supported_boot_devices: await engine.supportedBootDevices((await nodeOf(store.nodes, request)).uuid),
    }),
  );

  app.put<{ Body: Static<typeof BOOT_DEVICE_BODY> }>(
    '/v1/nodes/:node/management/boot_device',
    { schema: { body: BOOT_DEVICE_BODY }, config: { doc: SET_DEVICE_DOC } },
    async (request, reply) => {
      const node = await nodeOf(store.nodes, request);
      const { boot_device: device } = request.body;
      const query = parseQuery(request, BOOT_DEVICE_ARGUMENTS);
      const persistent = parseFlag(request.body.persistent ?? query.persistent ?? false);
      if (persistent === undefined) throw new IngotError('invalidParameter', 'persistent must be a boolean');
      if (!isBootDevice(device)) {
        throw new IngotError(
          'invalidParameter',
          `Invalid boot device ${device} specified. Boot devices are: ${BOOT_DEVICES.join(', ')}.`,
        );
      }
      await engine.setBootDevice(node.uuid, { device, persistent });
      return reply.code(204).send();
    },
  );

  app.put<{ Body: Static<typeof MAINTENANCE_BODY> }>(
    '/v1/nodes/:node/maintenance',
    { schema: { body: MAINTENANCE_BODY }, config: { doc: MAINTENANCE_DOC } },
    async (request, reply) => {
      const query = parseQuery(request, MAINTENANCE_ARGUMENTS);
      const reason = request.body.reason ?? query.reason;
      const { uuid } = await nodeOf(store.nodes, request);
      await engine.setMaintenance(uuid, { on: true, ...(reason === undefined ? {} : { reason }) });
      return reply.code(202).send();
    },
  );

  app.delete(
    '/v1/nodes/:node/maintenance',
    { config: { doc: END_MAINTENANCE_DOC } },
    async (request, reply) => {
      await engine.setMaintenance((await nodeOf(store.nodes, request)).uuid, { on: false });
      return reply.code(202).send();
    },
  );
}
