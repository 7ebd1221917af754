/**
 * `GET /ingot/v1/nodes/{node}/timeline`, which Ironic does not have: the operations of a node with their steps, and its
 * boot sightings. `ingot watch` uses it.
 */

import type { BootSighting } from '../../../domain/boot.ts';
import { IngotError } from '../../../domain/errors.ts';
import type { Operation } from '../../../domain/operations.ts';
import type { StepProgress, StepRecord } from '../../../domain/steps.ts';
import type { App } from '../../kit/app.ts';
import { objectSchema } from '../../kit/field-schema.ts';
import { pageLimit } from '../../kit/paging.ts';
import { wireTime } from '../../kit/presentation.ts';
import { parseQuery } from '../../kit/query.ts';
import type { ApiDeps } from '../deps.ts';
import { nodeOf } from '../node-lookup.ts';

const MAX_OPERATIONS = 100;
const DEFAULT_OPERATIONS = 20;
const DEFAULT_HOURS = 24;
const MAX_HOURS = 24 * 31;

const ARGUMENTS = { limit: { kind: 'integer' }, hours: { kind: 'integer' } } as const;
const LIST = { type: 'array', items: { type: 'object' } };
const DOC = {
  summary: 'Show what happened to a node, step by step and sighting by sighting',
  query: ARGUMENTS,
  answer: objectSchema({ node: { type: 'object' }, operations: LIST, sightings: LIST }),
};

const progressView = (progress: StepProgress | null) =>
  progress && {
    phase: progress.phase,
    bytes_done: progress.bytesDone,
    bytes_total: progress.bytesTotal,
    bytes_per_second: progress.bytesPerSecond,
  };

const stepView = (step: StepRecord) => ({
  interface: step.interface,
  step: step.step,
  priority: step.priority,
  state: step.state,
  started_at: wireTime(step.startedAt),
  finished_at: wireTime(step.finishedAt),
  progress: progressView(step.progress),
});

const operationView = (operation: Operation) => ({
  id: operation.id,
  kind: operation.kind,
  state: operation.state,
  started_at: wireTime(operation.startedAt),
  finished_at: wireTime(operation.finishedAt),
  error: operation.error,
  waiting_for: operation.waitingFor?.text ?? null,
  deadline: wireTime(operation.deadline),
  steps: operation.steps.map(stepView),
});

const sightingView = (sighting: BootSighting) => ({
  kind: sighting.kind,
  at: wireTime(sighting.at),
  mac: sighting.mac ?? null,
  bytes: sighting.bytes ?? null,
  detail: sighting.detail ?? null,
});

export function registerTimeline(app: App, deps: ApiDeps): void {
  const { store } = deps;

  app.get('/ingot/v1/nodes/:node/timeline', { config: { doc: DOC } }, async (request) => {
    const query = parseQuery(request, ARGUMENTS);
    const { hours = DEFAULT_HOURS } = query;
    if (hours < 1 || hours > MAX_HOURS) {
      throw new IngotError('invalidParameter', `hours must be between 1 and ${MAX_HOURS}`);
    }
    const limit = pageLimit(query.limit ?? DEFAULT_OPERATIONS, MAX_OPERATIONS);
    const node = await nodeOf(store.nodes, request);
    const since = new Date(Date.now() - hours * 3_600_000);
    const operations = await store.operations.list(node.uuid, limit);
    const sightings = await store.sightings.forNode(node.uuid, since);
    return {
      node: {
        uuid: node.uuid,
        name: node.name,
        provision_state: node.provisionState,
        target_provision_state: node.targetProvisionState,
        power_state: node.powerState,
        target_power_state: node.targetPowerState,
        maintenance: node.maintenance,
        last_error: node.lastError,
        provision_updated_at: wireTime(node.provisionUpdatedAt),
      },
      operations: operations.map(operationView),
      sightings: sightings.map(sightingView),
    };
  });
}
