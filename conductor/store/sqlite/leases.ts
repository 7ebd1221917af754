/** Address leases, at most one per MAC and one per address, and declined addresses. */
import type { DeclinedAddress, Lease, LeaseStore } from '../../domain/boot.ts';
import type { Database } from './database.ts';
import { createCodec } from './row-codec.ts';
import { DECLINED_ADDRESS_COLUMNS, LEASE_COLUMNS } from './schema.ts';

const codec = createCodec<typeof LEASE_COLUMNS, Lease>(LEASE_COLUMNS);
const declinedCodec = createCodec<typeof DECLINED_ADDRESS_COLUMNS, DeclinedAddress>(DECLINED_ADDRESS_COLUMNS);

export function createLeaseStore(db: Database): LeaseStore {
  const select = () => db.query.selectFrom('leases').selectAll();

  return {
    async byMac(mac) {
      const row = await select().where('mac', '=', mac).executeTakeFirst();
      return row && codec.decode(row);
    },

    async byAddress(address) {
      const row = await select().where('address', '=', address).executeTakeFirst();
      return row && codec.decode(row);
    },

    put: (lease, now) =>
      db.atomic(async ({ query }) => {
        await query
          .deleteFrom('leases')
          .where('address', '=', lease.address)
          .where('mac', '!=', lease.mac)
          .where('expires_at', '<=', now.getTime())
          .execute();
        const held = await query
          .selectFrom('leases')
          .select('mac')
          .where('address', '=', lease.address)
          .where('mac', '!=', lease.mac)
          .executeTakeFirst();
        if (held !== undefined) return false;
        const { values } = codec.encode({ ...lease });
        await query
          .insertInto('leases')
          .values(values)
          .onConflict((conflict) => conflict.column('mac').doUpdateSet(values))
          .execute();
        return true;
      }),

    async release(mac) {
      await db.query.deleteFrom('leases').where('mac', '=', mac).execute();
    },

    async list() {
      return (await select().orderBy('address').execute()).map((row) => codec.decode(row));
    },

    decline: (declined, now) =>
      db.atomic(async ({ query }) => {
        await query.deleteFrom('leases').where('address', '=', declined.address).execute();
        await query.deleteFrom('declined_addresses').where('until', '<=', now.getTime()).execute();
        const { values } = declinedCodec.encode({ ...declined });
        await query
          .insertInto('declined_addresses')
          .values(values)
          .onConflict((conflict) =>
            conflict
              .column('address')
              .doUpdateSet(values)
              .where('declined_addresses.until', '<', declined.until.getTime()),
          )
          .execute();
      }),

    async declined(now) {
      const rows = await db.query
        .selectFrom('declined_addresses')
        .selectAll()
        .where('until', '>', now.getTime())
        .orderBy('address')
        .execute();
      return rows.map((row) => declinedCodec.decode(row));
    },
  };
}
