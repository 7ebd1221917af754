/** `waiting_for` becomes an object with a kind and the text. Before, rules compared the start of the text. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update operations set waiting_for = json_object(
      'kind',
      case
        when waiting_for like 'agent %' then 'agent'
        when waiting_for like 'an operator %' then 'operator'
        when waiting_for like 'image %' then 'image'
        when waiting_for like 'fake hardware %' then 'hardware'
        when waiting_for like '% s to pass' then 'time'
        else 'command'
      end,
      'text', waiting_for
    )
    where waiting_for is not null
  `.execute(db);
}
