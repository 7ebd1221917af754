/**
 * `/v1/nodes/{node}/states/console`.
 */

import { parseFlag } from '@ingot/shared/ironic/field-values.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { App } from '../../kit/app.ts';
import { baseUrlOf } from '../../kit/base-url.ts';
import { type Static, Type } from '../../kit/body-schema.ts';
import { objectSchema } from '../../kit/field-schema.ts';
import type { ApiDeps } from '../deps.ts';
import { partOf } from '../driver-part.ts';
import { nodeOf } from '../node-lookup.ts';

const BODY = Type.Object(
  { enabled: Type.Union([Type.Boolean(), Type.String()]) },
  { additionalProperties: false },
);
const SHOW_DOC = {
  summary: 'Show the console',
  answer: objectSchema({ console_enabled: { type: 'boolean' }, console_info: { type: ['object', 'null'] } }),
};
const SET_DOC = { summary: 'Start or stop the console', status: 202 } as const;
const URL = '/v1/nodes/:node/states/console';

export function registerNodeConsole(app: App, deps: ApiDeps): void {
  const { engine, store, config, now } = deps;

  app.get(URL, { config: { doc: SHOW_DOC } }, async (request) => {
    const node = await nodeOf(store.nodes, request);
    const control = engine.hardwareOf(node).all.console.console;
    const info = node.consoleEnabled && control !== undefined ? control.describe(node) : null;
    return { console_enabled: node.consoleEnabled, console_info: info };
  });

  app.put<{ Params: { node: string }; Body: Static<typeof BODY> }>(
    URL,
    { schema: { body: BODY }, config: { doc: SET_DOC } },
    async (request, reply) => {
      const enabled = parseFlag(request.body.enabled);
      if (enabled === undefined) throw new IngotError('invalidParameter', '"enabled" must be a boolean');
      const { uuid } = await nodeOf(store.nodes, request);
      await engine.withHardware(
        uuid,
        enabled ? 'start console' : 'stop console',
        async ({ all }, context) => {
          const { node, ports } = context;
          all.console.validate(node, ports);
          const control = partOf(node, all.console, 'console', 'a console');
          if (node.consoleEnabled === enabled) return;
          await (enabled ? control.start(context) : control.stop(context));
          await store.nodes.update(uuid, { consoleEnabled: enabled }, now());
        },
      );
      const base = baseUrlOf(request, config.publicEndpoint);
      return reply
        .code(202)
        .header('Location', `${base}/v1/nodes/${request.params.node}/states/console`)
        .send();
    },
  );
}
