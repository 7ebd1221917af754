/**
 * Boot sightings. Any machine on the network can cause one, so their number is limited: per MAC, per node for
 * sightings without a MAC, and in total for unknown machines.
 */
import type { Insertable, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { BootSighting } from '../../domain/boot.ts';
import type { SightingStore } from '../../domain/store/sightings.ts';
import type { Database } from './database.ts';
import { prepared, preparedFor } from './database.ts';
import { createCodec } from './row-codec.ts';
import type { Schema } from './schema.ts';
import { SIGHTING_COLUMNS } from './schema.ts';

const KEPT_PER_MAC = 200;
const KEPT_PER_NODE = 200;
const KEPT_UNKNOWN = 2_000;

const codec = createCodec<typeof SIGHTING_COLUMNS, BootSighting & { id: number }>(SIGHTING_COLUMNS);

type Values = Record<string, string | number | null>;

const insertOne = preparedFor(
  (db, placeholders: Values & { $node: string | null; $mac: string | null }, columns) =>
    db.query
      .insertInto('sightings')
      .values({
        ...Object.fromEntries(columns.map((column) => [column, placeholders[column]])),
        // null if the node has been deleted: the machine counts as unknown
        node_uuid: sql<string | null>`coalesce(
        (select uuid from nodes where uuid = ${placeholders.$node}),
        (select node_uuid from ports where address = ${placeholders.$mac}))`,
      } as Insertable<Schema['sightings']>)
      .returning('node_uuid'),
);

/** Deletes all but the newest `kept` sightings that match the condition `these`. */
const allBut = (db: Database, kept: number, these: RawBuilder<unknown>) => ({
  compile: () =>
    sql`delete from sightings where ${these} and id <= (
      select id from sightings where ${these} order by id desc limit 1 offset ${sql.lit(kept)})`.compile(
      db.query,
    ),
});
const forgetOfMac = prepared((db, { mac }: { mac: string }) => allBut(db, KEPT_PER_MAC, sql`mac = ${mac}`));
const forgetOfNode = prepared((db, { node }: { node: string }) =>
  allBut(db, KEPT_PER_NODE, sql`node_uuid = ${node} and mac is null`),
);
const forgetUnknown = prepared((db) => allBut(db, KEPT_UNKNOWN, sql`node_uuid is null`));

export function createSightingStore(db: Database): SightingStore {
  return {
    add: ({ nodeUuid, ...sighting }) =>
      db.atomic(async (within) => {
        const mac = sighting.mac ?? null;
        const values = codec.encode(sighting).values as Values;
        const { rows } = await insertOne(within, Object.keys(values), {
          ...values,
          $node: nodeUuid ?? null,
          $mac: mac,
        });
        const node = rows[0]?.node_uuid ?? null;
        if (mac !== null) await forgetOfMac(within, { mac });
        else if (node !== null) await forgetOfNode(within, { node });
        if (node === null) await forgetUnknown(within, {});
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

/** Fields that are NULL are left out, as the type BootSighting requires. */
function decode(row: object): BootSighting {
  const { id: _, ...sighting } = codec.decode(row);
  return Object.fromEntries(
    Object.entries(sighting).filter(([, value]) => value !== null),
  ) as unknown as BootSighting;
}
