/**
 * `/v1/nodes/{node}/management/indicators` and `.../inject_nmi`. API 1.29 and 1.63.
 */

import type { FastifyRequest } from 'fastify';
import type { Indicator, IndicatorState } from '../../../domain/driver-parts.ts';
import { INDICATOR_COMPONENTS } from '../../../domain/driver-parts.ts';
import type { ManagementInterface } from '../../../domain/drivers.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { Node } from '../../../domain/node.ts';
import type { App } from '../../kit/app.ts';
import { baseUrlOf } from '../../kit/base-url.ts';
import { type Static, Type } from '../../kit/body-schema.ts';
import { listSchema, objectSchema } from '../../kit/field-schema.ts';
import { selfAndBookmark } from '../../kit/links.ts';
import type { ApiDeps } from '../deps.ts';
import { partOf } from '../driver-part.ts';
import { nodeOf } from '../node-lookup.ts';

const NMI_SINCE = 29;
const STATES: readonly string[] = ['ON', 'OFF', 'BLINKING', 'UNKNOWN'];
const STATE_BODY = Type.Object({ state: Type.String() }, { additionalProperties: false });
const NMI_BODY = Type.Object({}, { additionalProperties: false });
const URL = '/v1/nodes/:node/management/indicators';
type Params = { Params: { node: string; ident: string }; Body: Static<typeof STATE_BODY> };

const INDICATOR = {
  title: 'Indicator',
  type: 'object',
  properties: {
    name: { type: 'string' },
    component: { type: 'string' },
    readonly: { type: 'boolean' },
    states: { type: 'array', items: { type: 'string' } },
  },
};
const LIST_DOC = { summary: 'List indicators', answer: listSchema('indicators', INDICATOR) };
const SHOW_DOC = {
  summary: 'Read the state of an indicator',
  answer: objectSchema({ state: { type: ['string', 'null'] } }),
};
const SET_DOC = { summary: 'Set the state of an indicator', status: 204 } as const;
const NMI_DOC = { summary: 'Inject a non-maskable interrupt', status: 204 } as const;

const invalid = (text: string): IngotError => new IngotError('invalidParameter', text);
const identOf = ({ name, component }: Indicator): string => `${name}@${component}`;

export function registerNodeIndicators(app: App, deps: ApiDeps): void {
  const { engine, store, config } = deps;

  const view = (request: FastifyRequest, node: Node, indicator: Indicator) => {
    const base = baseUrlOf(request, config.publicEndpoint);
    return {
      name: identOf(indicator),
      component: indicator.component,
      readonly: indicator.readonly,
      states: indicator.states.map((state) => state.toLowerCase()).toSorted(),
      links: selfAndBookmark(base, `nodes/${node.uuid}/management/indicators/${identOf(indicator)}`),
    };
  };
  const controlOf = (node: Node, management: ManagementInterface) =>
    partOf(node, management, 'indicators', 'indicators');

  app.get(URL, { config: { doc: LIST_DOC } }, async (request) => {
    const node = await nodeOf(store.nodes, request);
    const list = await engine.withHardware(
      node.uuid,
      'list indicators',
      ({ management }, context) => controlOf(node, management).list(context),
      { shares: true },
    );
    return { indicators: list.map((indicator) => view(request, node, indicator)) };
  });

  app.get<Params>(`${URL}/:ident`, { config: { doc: SHOW_DOC } }, async (request) => {
    const { uuid } = await nodeOf(store.nodes, request);
    return engine.withHardware(uuid, 'get indicator', async ({ management }, context) => {
      const control = controlOf(context.node, management);
      const indicator = named(await control.list(context), request.params.ident);
      const state = await control.get(context, indicator);
      return { state };
    });
  });

  app.put<Params>(
    `${URL}/:ident`,
    { schema: { body: STATE_BODY }, config: { doc: SET_DOC } },
    async (request, reply) => {
      const { state } = request.body;
      if (!STATES.includes(state))
        throw invalid(`Indicator state "${state}" is not one of ${STATES.join(', ')}.`);
      const { uuid } = await nodeOf(store.nodes, request);
      await engine.withHardware(uuid, 'set indicator', async ({ management }, context) => {
        const control = controlOf(context.node, management);
        const indicator = named(await control.list(context), request.params.ident);
        if (indicator.readonly) throw invalid(`Indicator ${identOf(indicator)} can only be read.`);
        await control.set(context, indicator, state as IndicatorState);
      });
      return reply.code(204).send();
    },
  );

  const nmi = { schema: { body: NMI_BODY }, config: { since: NMI_SINCE, doc: NMI_DOC } };
  app.put<{ Params: { node: string } }>(
    '/v1/nodes/:node/management/inject_nmi',
    nmi,
    async (request, reply) => {
      const { uuid } = await nodeOf(store.nodes, request);
      await engine.withHardware(uuid, 'inject NMI', async ({ management }, context) => {
        management.validate(context.node, context.ports);
        await partOf(context.node, management, 'injectNmi', 'inject_nmi')(context);
      });
      return reply.code(204).send();
    },
  );
}

/** The indicator with a name like `led@system`. Throws invalidParameter for a malformed or unknown name. */
function named(list: readonly Indicator[], ident: string): Indicator {
  const [name = '', component = '', ...more] = ident.split('@');
  if (more.length > 0 || !(INDICATOR_COMPONENTS as readonly string[]).includes(component)) {
    throw invalid(
      `Malformed indicator name "${ident}": it is <name>@<component>, component one of ${INDICATOR_COMPONENTS.join(', ')}.`,
    );
  }
  const found = list.find((indicator) => indicator.name === name && indicator.component === component);
  if (found !== undefined) return found;
  throw invalid(`Invalid indicator ${ident} specified. There are: ${list.map(identOf).join(', ')}.`);
}
