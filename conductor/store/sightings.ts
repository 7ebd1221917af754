/**
 * Boot sightings. Anybody on the network can make us write one, so their number is bounded: per MAC, per
 * node for those without a MAC, and in total for machines we do not know.
 */
import { sql } from 'kysely';
import type { BootSighting } from '../domain/boot.ts';
import type { SightingStore } from '../domain/store.ts';
import type { Database } from './database.ts';
import { createCodec } from './row-codec.ts';
import { SIGHTING_COLUMNS } from './schema.ts';

const KEPT_PER_MAC = 200;
const KEPT_PER_NODE = 200;
const KEPT_UNKNOWN = 2_000;

const codec = createCodec<typeof SIGHTING_COLUMNS, BootSighting & { id: number }>(SIGHTING_COLUMNS);

export function createSightingStore(db: Database): SightingStore {
  return {
    add: ({ nodeUuid, ...sighting }) =>
      db.atomic(async (within) => {
        const mac = sighting.mac ?? null;
        // A node that is gone by now counts as unknown.
        const node = sql<string | null>`coalesce(
          (select uuid from nodes where uuid = ${nodeUuid ?? null}),
          (select node_uuid from ports where address = ${mac}))`;
        const row = await within.query
          .insertInto('sightings')
          .values({ ...codec.encode(sighting).values, node_uuid: node })
          .returning('node_uuid')
          .executeTakeFirstOrThrow();
        if (mac !== null) await forget(within, sql`mac = ${mac}`, KEPT_PER_MAC);
        else if (row.node_uuid !== null) {
          await forget(within, sql`node_uuid = ${row.node_uuid} and mac is null`, KEPT_PER_NODE);
        }
        if (row.node_uuid === null) await forget(within, sql`node_uuid is null`, KEPT_UNKNOWN);
      }),

    async forNode(nodeUuid, since) {
      const rows = await db.query
        .selectFrom('sightings')
        .selectAll()
        .where('at', '>=', since.getTime())
        .where((eb) =>
          eb.or([
            eb('node_uuid', '=', nodeUuid),
            eb('mac', 'in', eb.selectFrom('ports').select('address').where('node_uuid', '=', nodeUuid)),
          ]),
        )
        .orderBy('at')
        .orderBy('id')
        .execute();
      return rows.map(decode);
    },
  };
}

/** Deletes all but the newest `kept` of these. */
async function forget(db: Database, these: ReturnType<typeof sql>, kept: number): Promise<void> {
  await sql`delete from sightings where ${these} and id <= (
    select id from sightings where ${these} order by id desc limit 1 offset ${kept})`.execute(db.query);
}

/** Absent fields are left out, as the port has it. */
function decode(row: object): BootSighting {
  const { id: _, ...sighting } = codec.decode(row);
  return Object.fromEntries(
    Object.entries(sighting).filter(([, value]) => value !== null),
  ) as unknown as BootSighting;
}
