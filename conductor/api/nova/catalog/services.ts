/**
 * Compute services: list, enable, disable, force down, delete. Nova's /os-services.
 */

import type { FastifyRequest } from 'fastify';
import type { Aggregate, ComputeService } from '../../../domain/compute.ts';
import { IngotError, notFound } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { listAll } from '../../../domain/store/page.ts';
import { isUp } from '../../../scheduler/service-state.ts';
import { removeService } from '../../../servers/places/service-removal.ts';
import { zoneOfService } from '../../../servers/places/zones.ts';
import { described } from '../../cloud/cloud-route.ts';
import type { ComputeDeps } from '../../cloud/deps.ts';
import type { App } from '../../kit/app.ts';
import { object, oneOf, optional, since, text } from '../../kit/readers.ts';
import { byUuid } from '../page.ts';
import { boolean, readBody, readQuery } from '../request.ts';
import { naiveTime } from '../time.ts';

/** First microversions of these features. */
const FORCED_DOWN = 11;
const BY_UUID = 53;

const REASON = optional(text({ min: 1, max: 255 }));
const OLD_UPDATE = object({
  host: text({ min: 1, max: 255, pattern: /^[a-zA-Z0-9-._]*$/ }),
  binary: text({ min: 1, max: 255 }),
  disabled_reason: REASON,
  forced_down: since(FORCED_DOWN, optional(boolean)),
});
const UPDATE = object({
  status: optional(oneOf(['enabled', 'disabled'])),
  disabled_reason: REASON,
  forced_down: optional(boolean),
});
const LIST = { host: text(), binary: text() };

type Change = Partial<Pick<ComputeService, 'isDisabled' | 'disabledReason' | 'forcedDown'>>;

interface ById {
  Params: { id: string };
}

export function serviceRoutes(app: App, { store, settings, now }: ComputeDeps): void {
  const { computeServices, aggregates } = store.compute;

  const view = (service: ComputeService, minor: number, around: readonly Aggregate[]): JsonObject => ({
    id: minor >= BY_UUID ? service.uuid : service.id,
    binary: service.binary,
    host: service.host,
    zone: zoneOfService(around, service, settings.defaultAvailabilityZone),
    status: service.isDisabled ? 'disabled' : 'enabled',
    state: isUp(service, now(), settings.serviceDownMs) ? 'up' : 'down',
    updated_at: service.reportedAt && naiveTime(service.reportedAt),
    disabled_reason: service.disabledReason,
    ...(minor >= FORCED_DOWN ? { forced_down: service.forcedDown } : {}),
  });

  async function find({ params: { id }, minor }: FastifyRequest<ById>): Promise<ComputeService> {
    const isUuid = minor >= BY_UUID;
    if (isUuid && !UUID.test(id)) throw new IngotError('invalidParameter', `Invalid uuid ${id.slice(0, 64)}`);
    if (!isUuid && !/^\d{1,15}$/.test(id)) throw new IngotError('invalidParameter', 'id must be an integer');
    const found = isUuid
      ? await byUuid(computeServices, id)
      : (await listAll(computeServices, { id: Number(id) }))[0];
    if (found !== undefined) return found;
    throw notFound('Service', id);
  }

  /** What happens to other services than that which has machines is not ours to say. */
  async function change(service: Pick<ComputeService, 'uuid' | 'binary'>, changes: Change) {
    checkBinary(service.binary);
    return computeServices.update(service.uuid, changes, now());
  }

  app.get(
    '/os-services',
    described('admin', 'List compute services', { query: LIST, list: 'services' }),
    async (request) => {
      const { host, binary } = readQuery(request, LIST);
      const [all, around] = [await listAll(computeServices, {}), await listAll(aggregates, {})];
      const wanted = all.filter((one) => (!host || one.host === host) && (!binary || one.binary === binary));
      return { services: wanted.map((service) => view(service, request.minor, around)) };
    },
  );

  app.put<ById>(
    '/os-services/:id',
    described('admin', 'Enable, disable or force down a compute service', { body: UPDATE, item: 'service' }),
    async (request) => {
      const { minor, params } = request;
      if (minor >= BY_UUID) {
        const changes = changesOf(request);
        const service = await change(await find(request), changes);
        return { service: view(service, minor, await listAll(aggregates, {})) };
      }
      const { host, binary, ...body } = readBody(request, OLD_UPDATE);
      const { changes, shown } = oldActionOf(params.id, minor, body);
      checkBinary(binary);
      const [service] = await listAll(computeServices, { host, binary: 'nova-compute' });
      if (service === undefined)
        throw new IngotError('notFound', `Could not find binary ${binary} on host ${host}.`);
      await change(service, changes);
      return { service: { host, binary, ...shown } };
    },
  );

  app.delete<ById>(
    '/os-services/:id',
    described('admin', 'Delete a compute service', { status: 204 }),
    async (request, reply) => {
      await removeService(store, await find(request), now(), settings.serviceDownMs);
      return reply.code(204).send();
    },
  );
}

const UUID = /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i;

function checkBinary(binary: string): void {
  if (binary === 'nova-compute') return;
  throw new IngotError(
    'invalidParameter',
    `Updating a ${binary.slice(0, 64)} service is not supported. Only nova-compute services can be updated.`,
  );
}

function changesOf(request: FastifyRequest): Change {
  const { status, disabled_reason: reason, forced_down: forcedDown } = readBody(request, UPDATE);
  if (status === undefined && forcedDown === undefined)
    throw new IngotError(
      'invalidParameter',
      "No updates were requested. Fields 'status' or 'forced_down' should be specified.",
    );
  if (status === 'enabled' && reason !== undefined)
    throw new IngotError(
      'invalidParameter',
      "Specifying 'disabled_reason' with status 'enabled' is invalid.",
    );
  return {
    ...(status === undefined ? {} : statusOf(status === 'disabled', reason ?? null)),
    ...(forcedDown === undefined ? {} : { forcedDown }),
  };
}

const statusOf = (isDisabled: boolean, disabledReason: string | null): Change => ({
  isDisabled,
  disabledReason,
});

/** `PUT /os-services/disable` and similar, before paths contained ids of services. */
function oldActionOf(
  action: string,
  minor: number,
  body: { readonly disabled_reason?: string; readonly forced_down?: boolean },
): { readonly changes: Change; readonly shown: JsonObject } {
  const { disabled_reason: reason, forced_down: forcedDown } = body;
  if (action === 'enable') return { changes: statusOf(false, null), shown: { status: 'enabled' } };
  if (action === 'disable') return { changes: statusOf(true, null), shown: { status: 'disabled' } };
  if (action === 'disable-log-reason') {
    if (reason === undefined) throw new IngotError('invalidParameter', 'Missing disabled reason field');
    return { changes: statusOf(true, reason), shown: { status: 'disabled', disabled_reason: reason } };
  }
  if (action === 'force-down' && minor >= FORCED_DOWN) {
    if (forcedDown === undefined) throw new IngotError('invalidParameter', 'Missing forced_down field');
    return { changes: { forcedDown }, shown: { forced_down: forcedDown } };
  }
  throw new IngotError('notFound', 'Unknown action');
}
