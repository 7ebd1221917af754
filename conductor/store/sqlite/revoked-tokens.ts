/** Ids of revoked tokens, kept until the tokens expire. */
import type { RevokedTokens } from '../../domain/store/revoked-tokens.ts';
import type { Database } from './database.ts';

export function createRevokedTokens(db: Database): RevokedTokens {
  return {
    add: (id, expiresAt, now) =>
      db.atomic(async ({ query }) => {
        await query.deleteFrom('revoked_tokens').where('expires_at', '<=', now.getTime()).execute();
        await query
          .insertInto('revoked_tokens')
          .values({ id, expires_at: expiresAt.getTime() })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }),

    async has(id) {
      const row = await db.query
        .selectFrom('revoked_tokens')
        .select('id')
        .where('id', '=', id)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
