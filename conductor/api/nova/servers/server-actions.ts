/**
 * POST /servers/{id}/action: the single field of the body names the action. Nova API reference, "Servers - run an
 * action".
 */

import { IngotError } from '../../../domain/errors.ts';
import { isJsonObject } from '../../../domain/json.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { CONSOLE_ACTIONS } from './console-actions.ts';
import { LIFE_ACTIONS } from './life-actions.ts';
import { REBUILD } from './rebuild-action.ts';
import type { ServerAction } from './server-action.ts';
import { UNSUPPORTED_ACTIONS } from './unsupported-actions.ts';

const ACTIONS: ReadonlyMap<string, ServerAction> = new Map(
  [...LIFE_ACTIONS, REBUILD, ...CONSOLE_ACTIONS, ...UNSUPPORTED_ACTIONS].map((action) => [
    action.name,
    action,
  ]),
);

/** One field, named like the action. */
const ACTIONS_SCHEMA = {
  type: 'object',
  properties: Object.fromEntries([...ACTIONS.values()].map(({ name, schema }) => [name, schema])),
  minProperties: 1,
  maxProperties: 1,
};

export function serverActionRoutes(app: App, deps: ComputeDeps): void {
  app.post(
    '/servers/:id/action',
    described('member', 'Perform an action on a server', { body: ACTIONS_SCHEMA, status: '2XX' }),
    (request, reply) => {
      const [name, ...more] = isJsonObject(request.body) ? Object.keys(request.body) : [];
      if (name === undefined || more.length > 0) {
        throw new IngotError('invalidParameter', 'Malformed request body: it must name one action.');
      }
      const action = ACTIONS.get(name);
      const minor = Math.max(request.minor, 1);
      if (action === undefined || minor < action.since || minor > action.until) {
        throw new IngotError('invalidParameter', `There is no such action: ${name.slice(0, 64)}`);
      }
      return action.perform(request, reply, deps);
    },
  );
}
