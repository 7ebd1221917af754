/**
 * `GET /v1/nodes/{node}/states` and `PUT .../states/power`.
 */
import { NODE_FIELDS } from '@ingot/shared/ironic/node-fields.ts';
import { IngotError } from '../../../domain/errors.ts';
import { isPowerTarget, POWER_RESULT } from '../../../engine/power.ts';
import type { App } from '../../kit/app.ts';
import { baseUrlOf } from '../../kit/base-url.ts';
import { type Static, Type } from '../../kit/body-schema.ts';
import { answerSchema } from '../../kit/field-schema.ts';
import { requireVersion } from '../../kit/microversion.ts';
import type { ApiDeps } from '../deps.ts';
import { nodeOf } from '../node-lookup.ts';
import { nodePresenter, nodeViewContext } from '../node-view.ts';

const SOFT_POWER_SINCE = 27;

const STATE_FIELDS = [
  'console_enabled',
  'last_error',
  'power_state',
  'provision_state',
  'target_power_state',
  'target_provision_state',
  'provision_updated_at',
  'raid_config',
  'target_raid_config',
  'boot_mode',
  'secure_boot',
];

const POWER_BODY = Type.Object(
  {
    target: Type.String(),
    timeout: Type.Optional(Type.Union([Type.Integer({ maximum: 86_400 }), Type.Null()])),
  },
  { additionalProperties: false },
);

const STATES_DOC = {
  summary: 'Show the states of a node',
  answer: answerSchema(
    'NodeStates',
    NODE_FIELDS.filter(({ wire }) => STATE_FIELDS.includes(wire)),
  ),
};
const POWER_DOC = { summary: 'Switch the power', status: 202 } as const;

export function registerNodeStates(app: App, deps: ApiDeps): void {
  const { engine, store, config } = deps;

  app.get('/v1/nodes/:node/states', { config: { doc: STATES_DOC } }, async (request) => {
    const node = await nodeOf(store.nodes, request);
    const { links: _, ...states } = nodePresenter(nodeViewContext(request, deps), STATE_FIELDS).present(node);
    return states;
  });

  app.put<{ Params: { node: string }; Body: Static<typeof POWER_BODY> }>(
    '/v1/nodes/:node/states/power',
    { schema: { body: POWER_BODY }, config: { doc: POWER_DOC } },
    async (request, reply) => {
      const { target, timeout = null } = request.body;
      const node = await nodeOf(store.nodes, request);
      if (target.startsWith('soft '))
        requireVersion(request, SOFT_POWER_SINCE, `The power target "${target}"`);
      if (timeout !== null) requireVersion(request, SOFT_POWER_SINCE, 'The argument "timeout"');
      if (timeout !== null && timeout < 1) {
        throw new IngotError('invalidParameter', 'timeout has to be positive integer');
      }
      if (!isPowerTarget(target)) {
        throw new IngotError(
          'invalidState',
          `The requested action "${target}" can not be performed on node "${node.uuid}" while it is in state "${node.powerState}". Power targets are: ${Object.keys(POWER_RESULT).join(', ')}.`,
        );
      }
      await engine.power(node.uuid, target, timeout === null ? undefined : timeout * 1000);
      const base = baseUrlOf(request, config.publicEndpoint);
      return reply.code(202).header('Location', `${base}/v1/nodes/${request.params.node}/states`).send();
    },
  );
}
