/** The strongest IPMI cipher suite of each BMC. */
import type { BmcCipherSuites } from '../../domain/store/bmc-cipher-suites.ts';
import type { Database } from './database.ts';

export function createBmcCipherSuites(db: Database): BmcCipherSuites {
  return {
    async seenAt(endpoint) {
      const row = await db.query
        .selectFrom('bmc_cipher_suites')
        .select('suite')
        .where('endpoint', '=', endpoint)
        .executeTakeFirst();
      return row?.suite;
    },

    put: (endpoint, suite) =>
      db.atomic(async ({ query }) => {
        await query
          .insertInto('bmc_cipher_suites')
          .values({ endpoint, suite })
          .onConflict((conflict) => conflict.column('endpoint').doUpdateSet({ suite }))
          .execute();
      }),
  };
}
