/**
 * `/v1/conductors`: this conductor, the only one.
 */
import { fieldTable } from '@ingot/shared/ironic/wire-field.ts';
import type { FastifyRequest } from 'fastify';
import { IngotError, notFound } from '../../../domain/errors.ts';
import type { App } from '../../kit/app.ts';
import { baseUrlOf } from '../../kit/base-url.ts';
import { listSchema } from '../../kit/field-schema.ts';
import { FIELD_ARGUMENTS } from '../../kit/field-selection.ts';
import { selfAndBookmark } from '../../kit/links.ts';
import { nextUrl, parsePage } from '../../kit/paging.ts';
import { type WireObject, wireTime } from '../../kit/presentation.ts';
import { parseQuery } from '../../kit/query.ts';
import type { ApiDeps } from '../deps.ts';

const SINCE = 49;
const LIST_FIELDS = ['hostname', 'conductor_group', 'alive'];

const ARGUMENTS = {
  ...FIELD_ARGUMENTS,
  limit: { kind: 'integer' },
  marker: { kind: 'text' },
  sort_key: { kind: 'text' },
  sort_dir: { kind: 'text' },
} as const;
const ONE_ARGUMENTS = { fields: FIELD_ARGUMENTS.fields } as const;
const CONDUCTOR = {
  title: 'Conductor',
  type: 'object',
  properties: {
    hostname: { type: 'string' },
    conductor_group: { type: 'string' },
    alive: { type: 'boolean' },
    drivers: { type: 'array', items: { type: 'string' } },
    created_at: { type: 'string', format: 'date-time' },
    updated_at: { type: 'string', format: 'date-time' },
    links: { type: 'array' },
  },
} as const;
const LIST_DOC = {
  summary: 'List conductors',
  query: ARGUMENTS,
  answer: listSchema('conductors', CONDUCTOR),
};
const SHOW_DOC = { summary: 'Show a conductor', query: ONE_ARGUMENTS, answer: CONDUCTOR };

const SORTABLE = fieldTable([
  ['hostname', SINCE, 'text', 's'],
  ['conductor_group', SINCE, 'word', 's'],
  ['alive', SINCE, 'flag', ''],
  ['drivers', SINCE, 'list', ''],
  ['created_at', SINCE, 'time', 's'],
  ['updated_at', SINCE, 'time', 's'],
]);

const conductorNotFound = (hostname: string): IngotError => notFound('Conductor', hostname);

export function registerConductors(app: App, deps: ApiDeps): void {
  const { conductor, hardwareTypes } = deps.engine;
  const startedAt = new Date();

  /** `alive` is always true, because the conductor itself answers. */
  function present(request: FastifyRequest, fields: readonly string[] | undefined): WireObject {
    const wire: WireObject = {
      hostname: conductor,
      conductor_group: deps.engine.conductorGroup,
      alive: true,
      drivers: hardwareTypes.map(({ name }) => name),
      created_at: wireTime(startedAt),
      updated_at: wireTime(new Date()),
      links: selfAndBookmark(baseUrlOf(request, deps.config.publicEndpoint), `conductors/${conductor}`),
    };
    const invalid = fields?.filter((name) => !Object.hasOwn(wire, name)) ?? [];
    if (invalid.length > 0) {
      throw new IngotError('invalidParameter', `Field(s) "${invalid.join(', ')}" are not valid`);
    }
    if (fields === undefined) return wire;
    return Object.fromEntries(
      Object.entries(wire).filter(([name]) => fields.includes(name) || name === 'links'),
    );
  }

  app.get('/v1/conductors', { config: { since: SINCE, doc: LIST_DOC } }, async (request) => {
    const query = parseQuery(request, ARGUMENTS);
    const { detail = false, fields = detail ? undefined : LIST_FIELDS, marker, ...asked } = query;
    if (detail && query.fields !== undefined) {
      throw new IngotError(
        'invalidParameter',
        'Can not specify ?detail=True and fields in the same request.',
      );
    }
    const page = parsePage(request, asked, SORTABLE, deps.config.maxLimit);
    if (marker !== undefined) {
      if (marker !== conductor) throw conductorNotFound(marker);
      return { conductors: [] };
    }
    const listUrl = `${baseUrlOf(request, deps.config.publicEndpoint)}/v1/conductors`;
    // The marker of a page of conductors is a host name.
    const next = nextUrl(request, listUrl, page, [{ uuid: conductor }]);
    const conductors = [present(request, fields)];
    return next === undefined ? { conductors } : { conductors, next };
  });

  app.get<{ Params: { hostname: string } }>(
    '/v1/conductors/:hostname',
    { config: { since: SINCE, doc: SHOW_DOC } },
    async (request) => {
      const { fields } = parseQuery(request, ONE_ARGUMENTS);
      const { hostname } = request.params;
      if (hostname !== conductor) throw conductorNotFound(hostname);
      return present(request, fields);
    },
  );
}
