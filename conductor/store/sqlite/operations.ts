/**
 * Operations: one row for each, with its steps as a JSON list. Secrets of an operation (rescue password, config
 * drive, ...) are deleted when it is finished.
 */
import type { SqlBool, Updateable } from 'kysely';
import { sql } from 'kysely';
import { IngotError, notFound } from '../../domain/errors.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import type { Operation, OperationState } from '../../domain/operations.ts';
import type { Step, StepRecord } from '../../domain/steps.ts';
import type { OperationPatch, OperationStore } from '../../domain/store/operations.ts';
import type { Database } from './database.ts';
import { explaining, prepared, readSecrets, secretsOf, writeSecrets } from './database.ts';
import { createCodec } from './row-codec.ts';
import type { Schema } from './schema.ts';
import { OPERATION_COLUMNS } from './schema.ts';

/** Number of newest operations kept per node. */
const KEPT_PER_NODE = 100;

const UNFINISHED = ['running', 'waiting'] as const satisfies readonly OperationState[];

const codec = createCodec<typeof OPERATION_COLUMNS, Operation & { steps: StoredStep[] }>(OPERATION_COLUMNS);

/** A step in JSON, with times as ISO text. */
type StoredStep = Omit<StepRecord, 'startedAt' | 'finishedAt'> & {
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
};

const select = (db: Database) =>
  db.query.selectFrom('operations').selectAll().select(secretsOf(db, 'operation'));

const findOne = prepared((db, placeholders: { id: number }) => select(db).where('id', '=', placeholders.id));

/** Runs at every heartbeat. The states are literals in the SQL, since a partial index needs its exact condition. */
const findCurrent = prepared((db, placeholders: { nodeUuid: string }) =>
  select(db)
    .where('node_uuid', '=', placeholders.nodeUuid)
    .where(sql<SqlBool>`state in ('running', 'waiting')`),
);

export function createOperationStore(db: Database): OperationStore {
  /** Changes one operation; `patchFor` gets its current state. All changes after creation use this function. */
  function change(
    id: number,
    patchFor: (operation: Operation) => OperationPatch & { steps?: readonly StepRecord[] },
  ): Promise<Operation> {
    return db.atomic(async (within) => {
      const row = await rowOf(within, id);
      const before = decode(within, row);
      const { steps, ...patch } = patchFor(before);
      const { values, secrets } = codec.encode({ ...patch, ...(steps && { steps: steps.map(toStored) }) });
      if (Object.keys(values).length === 0) return before;
      await within.query
        .updateTable('operations')
        .set(values as Updateable<Schema['operations']>)
        .where('id', '=', id)
        .execute();
      await writeSecrets(within, 'operation', id, readSecrets(within, 'operation', id, row.secrets), secrets);
      if (!isUnfinished(patch.state ?? before.state)) {
        await within.query.deleteFrom('secrets').where('operation_id', '=', id).execute();
      }
      return read(within, id);
    });
  }

  return {
    create: (operation, now) =>
      explaining(
        db,
        ({ kind }) =>
          kind === 'unique'
            ? new IngotError('conflict', `Node ${operation.nodeUuid} already has an operation at work.`)
            : notFound('Node', operation.nodeUuid),
        () =>
          db.atomic(async (within) => {
            const { values, secrets } = codec.encode({
              nodeUuid: operation.nodeUuid,
              kind: operation.kind,
              args: operation.args,
              state: 'running',
              cursor: 0,
              steps: operation.steps.map((step, index) => toStored(pending(step, index))),
              startedAt: now,
            });
            const row = await within.query
              .insertInto('operations')
              .values(values)
              .returning('id')
              .executeTakeFirstOrThrow();
            const id = row.id as number;
            await writeSecrets(within, 'operation', id, undefined, secrets);
            await forgetOld(within, operation.nodeUuid);
            return read(within, id);
          }),
      ),

    async find(id) {
      const { rows } = await findOne(db, { id });
      return rows[0] && decode(db, rows[0]);
    },

    async current(nodeUuid) {
      const { rows } = await findCurrent(db, { nodeUuid });
      return rows[0] && decode(db, rows[0]);
    },

    async list(nodeUuid, limit) {
      const rows = await select(db)
        .where('node_uuid', '=', nodeUuid)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => decode(db, row));
    },

    async unfinished() {
      const rows = await select(db).where('state', 'in', UNFINISHED).orderBy('id').execute();
      return rows.map((row) => decode(db, row));
    },

    update: (id, patch) => change(id, () => patch),

    async updateStep(id, index, patch) {
      await change(id, ({ steps }) => {
        if (steps[index] === undefined)
          throw new IngotError('notFound', `Operation ${id} has no step ${index}.`);
        return { steps: steps.map((step) => (step.index === index ? { ...step, ...patch } : step)) };
      });
    },

    replaceSteps: (id, fromIndex, fresh) =>
      change(id, ({ steps }) => ({
        steps: [
          ...steps.slice(0, fromIndex),
          ...fresh.map((step, offset) => pending(step, fromIndex + offset)),
        ],
      })),
  };
}

async function read(db: Database, id: number): Promise<Operation> {
  return decode(db, await rowOf(db, id));
}

async function rowOf(db: Database, id: number) {
  const { rows } = await findOne(db, { id });
  if (rows[0] === undefined) throw notFound('Operation', String(id));
  return rows[0];
}

async function forgetOld({ query }: Database, nodeUuid: string): Promise<void> {
  const oldest = query
    .selectFrom('operations')
    .select('id')
    .where('node_uuid', '=', nodeUuid)
    .orderBy('id', 'desc')
    .limit(1)
    .offset(KEPT_PER_NODE);
  await query.deleteFrom('operations').where('node_uuid', '=', nodeUuid).where('id', '<=', oldest).execute();
}

function isUnfinished(state: OperationState): boolean {
  return (UNFINISHED as readonly OperationState[]).includes(state);
}

function decode(db: Database, row: { id: number | null; secrets: string | null }): Operation {
  const operation = codec.decode(row, readSecrets(db, 'operation', row.id ?? 0, row.secrets));
  return { ...operation, steps: operation.steps.map(fromStored) };
}

function pending(step: Step, index: number): StepRecord {
  return { ...step, index, state: 'pending', startedAt: null, finishedAt: null, progress: null, memo: {} };
}

function toStored(step: StepRecord): JsonObject {
  return {
    ...(step as unknown as Record<string, Json>),
    startedAt: step.startedAt?.toISOString() ?? null,
    finishedAt: step.finishedAt?.toISOString() ?? null,
  };
}

function fromStored(step: StoredStep): StepRecord {
  return {
    ...step,
    startedAt: step.startedAt === null ? null : new Date(step.startedAt),
    finishedAt: step.finishedAt === null ? null : new Date(step.finishedAt),
  };
}
