/**
 * `PUT /v1/nodes/{node}/states/boot_mode` and `.../secure_boot`. API 1.76.
 */
import { parseFlag } from '@ingot/shared/ironic/field-values.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BootModeControl } from '../../../domain/driver-parts.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { BootMode, NodePatch } from '../../../domain/node.ts';
import type { NodeContext } from '../../../domain/node-context.ts';
import { kindOf } from '../../../domain/states.ts';
import type { App } from '../../kit/app.ts';
import { baseUrlOf } from '../../kit/base-url.ts';
import { type Static, Type } from '../../kit/body-schema.ts';
import type { ApiDeps } from '../deps.ts';
import { partOf } from '../driver-part.ts';
import { nodeOf } from '../node-lookup.ts';

const SINCE = 76;
const BODY = Type.Object(
  { target: Type.Union([Type.Boolean(), Type.String()]) },
  { additionalProperties: false },
);
const MODES: readonly string[] = ['bios', 'uefi'];
type Route = { Params: { node: string }; Body: Static<typeof BODY> };
type Apply = (control: BootModeControl, context: NodeContext) => Promise<NodePatch>;

export function registerNodeFirmwareBoot(app: App, deps: ApiDeps): void {
  const { engine, store, config, now } = deps;

  async function change(request: FastifyRequest<Route>, reply: FastifyReply, asked: string, apply: Apply) {
    const { uuid } = await nodeOf(store.nodes, request);
    await engine.withHardware(uuid, asked, async ({ management }, context) => {
      const { node, ports } = context;
      if (kindOf(node.provisionState) === 'busy' || kindOf(node.provisionState) === 'wait') {
        throw new IngotError(
          'conflict',
          `Node ${uuid} is ${node.provisionState}: ${asked} has to wait until that is over.`,
        );
      }
      management.validate(node, ports);
      const patch = await apply(partOf(node, management, 'bootMode', asked), context);
      await store.nodes.update(uuid, patch, now());
    });
    const base = baseUrlOf(request, config.publicEndpoint);
    return reply.code(202).header('Location', `${base}/v1/nodes/${request.params.node}/states`).send();
  }

  const options = (summary: string) => ({
    schema: { body: BODY },
    config: { since: SINCE, doc: { summary, status: 202 } as const },
  });

  app.put<Route>(
    '/v1/nodes/:node/states/boot_mode',
    options('Set the boot mode: bios or uefi'),
    (request, reply) => {
      const { target } = request.body;
      if (!MODES.includes(String(target))) {
        throw new IngotError(
          'invalidParameter',
          `Boot mode "${String(target)}" is not one of ${MODES.join(', ')}.`,
        );
      }
      return change(request, reply, 'set_boot_mode', async (control, context) => {
        await control.setBootMode(context, target as BootMode);
        return { bootMode: target as BootMode };
      });
    },
  );

  app.put<Route>(
    '/v1/nodes/:node/states/secure_boot',
    options('Switch secure boot on or off'),
    (request, reply) => {
      const on = parseFlag(request.body.target);
      if (on === undefined) throw new IngotError('invalidParameter', '"target" must be a boolean.');
      return change(request, reply, 'set_secure_boot_state', async (control, context) => {
        await control.setSecureBoot(context, on);
        return { secureBoot: on };
      });
    },
  );
}
