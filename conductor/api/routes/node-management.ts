/**
 * `/v1/nodes/{node}/management/boot_device` and `/v1/nodes/{node}/maintenance`.
 */
import { parseFlag } from '@ingot/shared/ironic/field-values.ts';
import { Type } from 'typebox';
import { IngotError } from '../../domain/errors.ts';
import { BOOT_DEVICES, type BootDevice } from '../../domain/node.ts';
import type { ApiDeps, App } from '../deps.ts';
import { nodeOf } from '../node-lookup.ts';
import { parseQuery } from '../query.ts';

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

const isBootDevice = (text: string): text is BootDevice => (BOOT_DEVICES as readonly string[]).includes(text);

export function registerNodeManagement(app: App, deps: ApiDeps): void {
  const { engine, store } = deps;

  app.get('/v1/nodes/:node/management/boot_device', async (request) => {
    const { device, persistent } = await engine.getBootDevice((await nodeOf(store.nodes, request)).uuid);
    return { boot_device: device, persistent };
  });

  app.get('/v1/nodes/:node/management/boot_device/supported', async (request) => ({
    supported_boot_devices: await engine.supportedBootDevices((await nodeOf(store.nodes, request)).uuid),
  }));

  app.put<{ Body: Type.Static<typeof BOOT_DEVICE_BODY> }>(
    '/v1/nodes/:node/management/boot_device',
    { schema: { body: BOOT_DEVICE_BODY } },
    async (request, reply) => {
      const node = await nodeOf(store.nodes, request);
      const { boot_device: device } = request.body;
      const persistent = parseFlag(request.body.persistent ?? false);
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

  app.put<{ Body: Type.Static<typeof MAINTENANCE_BODY> }>(
    '/v1/nodes/:node/maintenance',
    { schema: { body: MAINTENANCE_BODY } },
    async (request, reply) => {
      const query = parseQuery(request, { reason: { kind: 'text' } });
      const reason = request.body.reason ?? query.reason;
      const { uuid } = await nodeOf(store.nodes, request);
      await engine.setMaintenance(uuid, { on: true, ...(reason === undefined ? {} : { reason }) });
      return reply.code(202).send();
    },
  );

  app.delete('/v1/nodes/:node/maintenance', async (request, reply) => {
    await engine.setMaintenance((await nodeOf(store.nodes, request)).uuid, { on: false });
    return reply.code(202).send();
  });
}
