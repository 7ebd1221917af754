/**
 * `/v1/nodes/{node}/bios`: the BIOS settings that the bios interface reports. API 1.40.
 */

import type { FastifyRequest } from 'fastify';
import type { BiosSetting } from '../../../domain/driver-parts.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { Node } from '../../../domain/node.ts';
import type { App } from '../../kit/app.ts';
import { baseUrlOf } from '../../kit/base-url.ts';
import { listSchema } from '../../kit/field-schema.ts';
import { selfAndBookmark } from '../../kit/links.ts';
import { wireTime } from '../../kit/presentation.ts';
import { parseQuery } from '../../kit/query.ts';
import type { ApiDeps } from '../deps.ts';
import { nodeOf } from '../node-lookup.ts';

const SINCE = 40;
/** First version of `fields`, `detail`, and the attributes from the BIOS registry. */
const REGISTRY_SINCE = 74;
const REGISTRY = [
  'attribute_type',
  'allowable_values',
  'lower_bound',
  'max_length',
  'min_length',
  'read_only',
  'reset_required',
  'unique',
  'upper_bound',
] as const;
const LIST_ARGUMENTS = { detail: { kind: 'flag' }, fields: { kind: 'list' } } as const;
const SETTING = {
  title: 'BiosSetting',
  type: 'object',
  properties: { name: { type: 'string' }, value: { type: ['string', 'null'] } },
};
const LIST_DOC = {
  summary: 'List BIOS settings',
  query: LIST_ARGUMENTS,
  answer: listSchema('bios', SETTING),
};
const SHOW_DOC = {
  summary: 'Show a BIOS setting',
  answer: { type: 'object', additionalProperties: SETTING, description: 'The setting under its name' },
};
const URL = '/v1/nodes/:node/bios';

export function registerNodeBios(app: App, deps: ApiDeps): void {
  const { engine, store, config } = deps;

  const settingsOf = (node: Node) => engine.hardwareOf(node).all.bios.biosSettings?.(node) ?? [];

  function view(request: FastifyRequest, node: Node, setting: BiosSetting, whole: boolean) {
    const base = baseUrlOf(request, config.publicEndpoint);
    return {
      created_at: wireTime(setting.createdAt),
      updated_at: wireTime(setting.updatedAt),
      name: setting.name,
      value: setting.value,
      ...(whole ? Object.fromEntries(REGISTRY.map((name) => [name, null])) : {}),
      links: selfAndBookmark(base, `nodes/${node.uuid}/bios/${encodeURIComponent(setting.name)}`),
    };
  }

  app.get(URL, { config: { since: SINCE, hidesPath: true, doc: LIST_DOC } }, async (request) => {
    const { minor } = request;
    const query = request.query as Record<string, unknown>;
    const early = ['detail', 'fields'].find((name) => minor < REGISTRY_SINCE && query[name] !== undefined);
    if (early !== undefined) {
      throw new IngotError('invalidParameter', `Invalid query parameter ?${early} received.`);
    }
    const { detail = false, fields } = parseQuery(request, LIST_ARGUMENTS);
    if (detail && fields !== undefined) {
      throw new IngotError(
        'invalidParameter',
        'Can not specify ?detail=True and fields in the same request.',
      );
    }
    const node = await nodeOf(store.nodes, request);
    const settings = settingsOf(node).map((setting) =>
      view(request, node, setting, detail || fields !== undefined),
    );
    if (fields === undefined) return { bios: settings };
    const kept = (name: string) => fields.includes(name) || name === 'links';
    return {
      bios: settings.map((setting) =>
        Object.fromEntries(Object.entries(setting).filter(([name]) => kept(name))),
      ),
    };
  });

  app.get<{ Params: { node: string; setting: string } }>(
    `${URL}/:setting`,
    { config: { since: SINCE, hidesPath: true, doc: SHOW_DOC } },
    async (request) => {
      const node = await nodeOf(store.nodes, request);
      const setting = settingsOf(node).find(({ name }) => name === request.params.setting);
      if (setting !== undefined) {
        return { [setting.name]: view(request, node, setting, request.minor >= REGISTRY_SINCE) };
      }
      throw new IngotError(
        'notFound',
        `Node ${node.uuid} doesn't have a BIOS setting '${request.params.setting.slice(0, 80)}'`,
      );
    },
  );
}
