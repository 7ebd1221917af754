/**
 * Goes through all secrets of the database: encrypts those of a version that stored them plainly, or those of an older
 * key again.
 */
import { CompiledQuery } from 'kysely';
import { encryptedWith, isEncrypted, type SecretCipher } from '../secret-cipher.ts';
import { COMPUTE_TABLES } from './compute-tables.ts';
import { type Database, secretPlace } from './database.ts';
import { type PrivateColumns, placeOf, privateColumns } from './private-columns.ts';
import { RECORD_TABLES } from './record-tables.ts';
import { INVENTORY_COLUMNS } from './schema.ts';

type Row = Readonly<Record<string, string | number | null>>;
/** The new text of a value; undefined: it stays. */
type Change = (cipher: SecretCipher, place: string, text: string) => string | undefined;

interface Target {
  readonly table: string;
  readonly columns: readonly string[];
  /** The new text of a column. */
  renew(cipher: SecretCipher, row: Row, column: string, text: string, mode: Mode): string | undefined;
}

/** `plain`: no value is encrypted yet. `older`: values of older keys are encrypted with the current one. */
export type Mode = 'plain' | 'older';

const ROWS_AT_ONCE = 50;

const again: Change = (cipher, place, text) =>
  text.startsWith(encryptedWith(cipher.keyId))
    ? undefined
    : cipher.encrypt(place, cipher.decrypt(place, text));

const SECRETS: Target = {
  table: 'secrets',
  columns: ['value'],
  renew(cipher, row, _, text, mode) {
    const { node_uuid: node, operation_id: operation, pointer } = row;
    const place =
      node == null
        ? secretPlace('operation', operation ?? '', String(pointer))
        : secretPlace('node', node, String(pointer));
    const changed =
      mode === 'plain'
        ? cipher.encrypt(place, text)
        : again(cipher, place, String(JSON.parse(text) as unknown));
    return changed && JSON.stringify(changed);
  },
};

const targetOf = (table: string, key: string, hidden: PrivateColumns): Target => ({
  table,
  columns: hidden.names,
  renew(cipher, row, column, text, mode) {
    const rowKey = String(row[key]);
    if (mode === 'plain') return hidden.hidden(cipher, rowKey, column, text);
    return isEncrypted(text) ? again(cipher, placeOf(table, rowKey, column), text) : undefined;
  },
});

const TARGETS: readonly Target[] = [
  SECRETS,
  targetOf('inventory', 'node_uuid', privateColumns('inventory', INVENTORY_COLUMNS)),
  ...[...Object.values(RECORD_TABLES), ...Object.values(COMPUTE_TABLES)].map(({ table, columns }) =>
    targetOf(table, 'uuid', privateColumns(table, columns)),
  ),
].filter(({ columns }) => columns.length > 0);

/** Returns the number of changed values. Each batch of rows is a transaction, unless `db` is in one already. */
export async function rewriteSecrets(db: Database, cipher: SecretCipher, mode: Mode): Promise<number> {
  let changed = 0;
  for (const target of TARGETS) {
    for (let last = 0; ; ) {
      const batch = await db.atomic((within) => rewriteBatch(within, cipher, target, last, mode));
      changed += batch.changed;
      if (batch.last === undefined) break;
      last = batch.last;
    }
  }
  return changed;
}

async function rewriteBatch(db: Database, cipher: SecretCipher, target: Target, after: number, mode: Mode) {
  const { table, columns } = target;
  const select = `select rowid as row_number, * from ${table} where rowid > ? order by rowid limit ${ROWS_AT_ONCE}`;
  const { rows } = await db.run<Row>(CompiledQuery.raw(select, [after]));
  let changed = 0;
  for (const row of rows) {
    for (const column of columns) {
      const text = row[column];
      const renewed = typeof text === 'string' ? target.renew(cipher, row, column, text, mode) : undefined;
      if (renewed === undefined || renewed === text) continue;
      const update = `update ${table} set ${column} = ? where rowid = ?`;
      await db.run(CompiledQuery.raw(update, [renewed, row['row_number']]));
      changed += 1;
    }
  }
  return { changed, last: rows.at(-1)?.['row_number'] as number | undefined };
}
