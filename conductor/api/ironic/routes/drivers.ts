/**
 * `/v1/drivers`: the hardware types of this conductor, and the properties that their interfaces read from driver_info.
 */

import type { FastifyRequest } from 'fastify';
import type { HardwareType } from '../../../domain/drivers.ts';
import { IngotError } from '../../../domain/errors.ts';
import { INTERFACE_TYPES, type InterfaceType } from '../../../domain/node.ts';
import type { App } from '../../kit/app.ts';
import { baseUrlOf } from '../../kit/base-url.ts';
import { listSchema } from '../../kit/field-schema.ts';
import { selfAndBookmark } from '../../kit/links.ts';
import type { WireObject } from '../../kit/presentation.ts';
import { parseQuery } from '../../kit/query.ts';
import type { ApiDeps } from '../deps.ts';
import { driverOf } from '../driver-lookup.ts';

const DYNAMIC_SINCE = 30;
const PROPERTY_LINKS_SINCE = 14;
const FIELDS_ARGUMENT = { kind: 'list', since: 77 } as const;

/** First version of the interface types that are newer than dynamic drivers. */
const INTERFACE_SINCE: Readonly<Partial<Record<InterfaceType, number>>> = {
  storage: 33,
  rescue: 38,
  bios: 40,
  firmware: 86,
};

const LIST_ARGUMENTS = {
  type: { kind: 'text', since: DYNAMIC_SINCE },
  detail: { kind: 'flag', since: DYNAMIC_SINCE },
  fields: FIELDS_ARGUMENT,
} as const;
const DRIVER = {
  title: 'Driver',
  type: 'object',
  properties: { name: { type: 'string' }, hosts: { type: 'array', items: { type: 'string' } } },
};
const LIST_DOC = {
  summary: 'List hardware types',
  query: LIST_ARGUMENTS,
  answer: listSchema('drivers', DRIVER),
};
const SHOW_DOC = { summary: 'Show a hardware type', query: { fields: FIELDS_ARGUMENT }, answer: DRIVER };
const PROPERTIES_DOC = {
  summary: 'What the interfaces of a hardware type read from driver_info',
  answer: { type: 'object', additionalProperties: { type: 'string' } },
};

export function registerDrivers(app: App, deps: ApiDeps): void {
  const { hardwareTypes, conductor } = deps.engine;

  function present(request: FastifyRequest, type: HardwareType, detail: boolean): WireObject {
    const base = baseUrlOf(request, deps.config.publicEndpoint);
    const wire: WireObject = {
      name: type.name,
      hosts: [conductor],
      links: selfAndBookmark(base, `drivers/${type.name}`),
    };
    if (request.minor >= PROPERTY_LINKS_SINCE) {
      wire['properties'] = selfAndBookmark(base, `drivers/${type.name}/properties`);
    }
    if (request.minor < DYNAMIC_SINCE) return wire;
    wire['type'] = 'dynamic';
    if (!detail) return wire;
    for (const kind of INTERFACE_TYPES) {
      if (request.minor < (INTERFACE_SINCE[kind] ?? DYNAMIC_SINCE)) continue;
      const names = type.interfaces[kind].map(({ name }) => name);
      wire[`default_${kind}_interface`] = names[0] ?? null;
      wire[`enabled_${kind}_interfaces`] = names;
    }
    return wire;
  }

  function only(wire: WireObject, fields: readonly string[] | undefined): WireObject {
    if (fields === undefined) return wire;
    const invalid = fields.filter((name) => !Object.hasOwn(wire, name));
    if (invalid.length > 0) {
      throw new IngotError('invalidParameter', `Field(s) "${invalid.join(', ')}" are not valid`);
    }
    return Object.fromEntries(
      Object.entries(wire).filter(([name]) => fields.includes(name) || name === 'links'),
    );
  }

  const typeOf = (request: FastifyRequest): HardwareType =>
    driverOf(hardwareTypes, (request.params as { driver: string }).driver);

  app.get('/v1/drivers', { config: { doc: LIST_DOC } }, async (request) => {
    const query = parseQuery(request, LIST_ARGUMENTS);
    const { type, detail = false, fields } = query;
    if (detail && fields !== undefined) {
      throw new IngotError(
        'invalidParameter',
        'Can not specify ?detail=True and fields in the same request.',
      );
    }
    if (type !== undefined && type !== 'classic' && type !== 'dynamic') {
      throw new IngotError(
        'invalidParameter',
        '"type" filter must be one of "classic" or "dynamic", if specified.',
      );
    }
    const shown = type === 'classic' ? [] : hardwareTypes;
    const whole = detail || fields !== undefined;
    return { drivers: shown.map((hardware) => only(present(request, hardware, whole), fields)) };
  });

  app.get('/v1/drivers/:driver', { config: { doc: SHOW_DOC } }, async (request) => {
    const { fields } = parseQuery(request, { fields: FIELDS_ARGUMENT });
    return only(present(request, typeOf(request), true), fields);
  });

  app.get('/v1/drivers/:driver/properties', { config: { doc: PROPERTIES_DOC } }, async (request) => {
    const { interfaces } = typeOf(request);
    const described = INTERFACE_TYPES.flatMap((kind) =>
      interfaces[kind].flatMap(({ properties }) => Object.entries(properties)),
    );
    return Object.fromEntries(described);
  });
}
