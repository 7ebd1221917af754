/**
 * `GET /v1/nodes/{node}/firmware`: the firmware components that the firmware interface reports. API 1.86.
 */
import type { FirmwareComponent } from '../../../domain/driver-parts.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { App } from '../../kit/app.ts';
import { listSchema } from '../../kit/field-schema.ts';
import { requireVersion } from '../../kit/microversion.ts';
import { type WireObject, wireTime } from '../../kit/presentation.ts';
import { parseQuery } from '../../kit/query.ts';
import type { ApiDeps } from '../deps.ts';
import { nodeOf } from '../node-lookup.ts';

export const FIRMWARE_SINCE = 86;
const ARGUMENTS = { detail: { kind: 'flag' }, fields: { kind: 'list' } } as const;
const IDENTITY_SINCE = 114;
const IDENTITY = ['vendor', 'model', 'serial_number'];
const FIELDS = ['component', 'initial_version', 'current_version', 'last_version_flashed'];
const TEXT = { type: ['string', 'null'] };
const DOC = {
  summary: 'List firmware components',
  query: ARGUMENTS,
  answer: listSchema('firmware', {
    title: 'FirmwareComponent',
    type: 'object',
    properties: {
      created_at: { type: 'string', format: 'date-time' },
      updated_at: { type: ['string', 'null'], format: 'date-time' },
      component: { type: 'string' },
      initial_version: { type: 'string' },
      current_version: TEXT,
      last_version_flashed: TEXT,
      ...Object.fromEntries(IDENTITY.map((name) => [name, { ...TEXT, 'x-since': '1.114' }])),
    },
  }),
};

const wireForm = (component: FirmwareComponent): WireObject => ({
  created_at: wireTime(component.createdAt),
  updated_at: wireTime(component.updatedAt),
  component: component.component,
  initial_version: component.initialVersion,
  current_version: component.currentVersion,
  last_version_flashed: component.lastVersionFlashed,
  vendor: component.vendor,
  model: component.model,
  serial_number: component.serialNumber,
});

export function registerNodeFirmware(app: App, { engine, store }: ApiDeps): void {
  app.get('/v1/nodes/:node/firmware', { config: { since: FIRMWARE_SINCE, doc: DOC } }, async (request) => {
    const { detail = false, fields } = parseQuery(request, ARGUMENTS);
    if (detail && fields !== undefined) {
      throw new IngotError(
        'invalidParameter',
        "Can't fetch a subset of fields with 'detail' set: give either.",
      );
    }
    const known = [...FIELDS, ...IDENTITY];
    const unknown = (fields ?? []).filter((name) => !known.includes(name));
    if (unknown.length > 0) {
      throw new IngotError('invalidParameter', `Field(s) "${unknown.join(', ')}" are not valid`);
    }
    const identifies = request.minor >= IDENTITY_SINCE;
    for (const name of IDENTITY) {
      if (fields?.includes(name)) requireVersion(request, IDENTITY_SINCE, `The field "${name}"`);
    }
    const asked = fields ?? (identifies ? known : FIELDS);
    const hidden = known.filter((name) => !asked.includes(name));
    const node = await nodeOf(store.nodes, request);
    const components = engine.hardwareOf(node).all.firmware.firmwareComponents?.(node) ?? [];
    const shown = (wire: WireObject): WireObject =>
      Object.fromEntries(Object.entries(wire).filter(([name]) => !hidden.includes(name)));
    return { firmware: components.map((component) => shown(wireForm(component))) };
  });
}
