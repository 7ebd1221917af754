/**
 * `POST /v1/events`: events of a network service. API 1.54. They are only checked and logged, because no network
 * interface of ours waits for one.
 */

import { isUuid } from '@ingot/shared/ironic/identifiers.ts';
import { parseMac } from '../../../domain/boot.ts';
import { IngotError } from '../../../domain/errors.ts';
import { isJsonObject } from '../../../domain/json.ts';
import type { App } from '../../kit/app.ts';
import { objectSchema } from '../../kit/field-schema.ts';
import type { RouteDoc } from '../../kit/route-doc.ts';

const SINCE = 54;
const EVENTS = ['network.bind_port', 'network.unbind_port', 'network.delete_port'];
const DOC: RouteDoc = {
  summary: 'Tell of network events',
  status: 204,
  body: objectSchema({
    events: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: {
          event: { type: 'string', enum: EVENTS },
          port_id: { type: 'string', format: 'uuid' },
          mac_address: { type: 'string' },
          status: { type: 'string' },
          device_id: { type: 'string' },
          'binding:host_id': { type: 'string' },
          'binding:vnic_type': { type: 'string' },
        },
        required: ['event', 'port_id', 'mac_address', 'status'],
        additionalProperties: false,
      },
    },
  }),
};
const isText = (value: unknown): boolean => typeof value === 'string';
const isId = (value: unknown): boolean => typeof value === 'string' && isUuid(value);

/** Fields of a network event: the check of the value, and whether the field is required. */
const FIELDS: Readonly<
  Record<string, { readonly required?: true; readonly fits: (value: unknown) => boolean }>
> = {
  event: { required: true, fits: (value) => EVENTS.includes(String(value)) },
  port_id: { required: true, fits: isId },
  mac_address: {
    required: true,
    fits: (value) => typeof value === 'string' && parseMac(value) !== undefined,
  },
  status: { required: true, fits: isText },
  device_id: { fits: (value) => value === '' || isId(value) },
  'binding:host_id': { fits: (value) => value === '' || isId(value) },
  'binding:vnic_type': { fits: isText },
};

export function registerEvents(app: App): void {
  app.post('/v1/events', { config: { since: SINCE, hidesPath: true, doc: DOC } }, async (request, reply) => {
    const events = isJsonObject(request.body) ? request.body['events'] : undefined;
    if (!Array.isArray(events) || events.length === 0) {
      throw new IngotError(
        'invalidParameter',
        'Schema error for events: the body must be {"events": [<event>, ...]}.',
      );
    }
    const more = Object.keys(request.body as object).filter((key) => key !== 'events');
    if (more.length > 0) {
      throw new IngotError('invalidParameter', `Unexpected arguments: ${more.join(', ')}`);
    }
    events.forEach(checkEvent);
    request.log.info({ events: events.length }, 'network events');
    return reply.code(204).send();
  });
}

function checkEvent(event: unknown, index: number): void {
  const where = `Schema error for events: events[${index}]`;
  if (!isJsonObject(event)) throw new IngotError('invalidParameter', `${where} must be an object.`);
  const unknown = Object.keys(event).find((name) => !Object.hasOwn(FIELDS, name));
  if (unknown !== undefined)
    throw new IngotError('invalidParameter', `${where} has an unknown field "${unknown}".`);
  for (const [name, { required, fits }] of Object.entries(FIELDS)) {
    const value = event[name];
    if (value === undefined ? required === true : !fits(value)) {
      const known = name === 'event' ? ` It is one of ${EVENTS.join(', ')}.` : '';
      throw new IngotError('invalidParameter', `${where}.${name} is missing or not what it must be.${known}`);
    }
  }
}
