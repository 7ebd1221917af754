/** In a server's requested networks, the keys of Nova's request are replaced with the domain's names. */
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // json_patch removes keys whose value is null (RFC 7396)
  await sql`
    update servers set requested_networks = (
      select json_group_array(json_patch('{}', json_object(
        'portUuid', json_extract(value, '$.port'),
        'networkUuid', json_extract(value, '$.uuid'),
        'fixedIp', json_extract(value, '$.fixed_ip'),
        'tag', json_extract(value, '$.tag')
      ))) from json_each(requested_networks)
    )
    where json_type(requested_networks) = 'array'
  `.execute(db);
}
