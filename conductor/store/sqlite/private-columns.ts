/**
 * Encrypts the private columns of a table on the way into the database, and decrypts them on the way out. The kinds
 * are explained in row-codec.ts. Nodes and operations keep most of their secrets in the table of secrets instead.
 */
import type { Json } from '../../domain/json.ts';
import { maskSecrets } from '../../domain/secrets.ts';
import { isEncrypted, type SecretCipher } from '../secret-cipher.ts';
import { type ColumnKind, type Columns, snakeCase } from './row-codec.ts';

export interface PrivateColumns {
  readonly names: readonly string[];
  /** Changes `values`, the encoded row; `rowKey` names the row in its table. */
  hide(cipher: SecretCipher, rowKey: string, values: object): void;
  /** Changes `row`. */
  show(cipher: SecretCipher, rowKey: string, row: object): void;
  /** What `hide` does to one value. */
  hidden(cipher: SecretCipher, rowKey: string, column: string, value: string): string;
  /** Whether a list may be filtered by these columns: equal texts have different encrypted forms. */
  has(column: string): boolean;
}

type Texts = Record<string, string | number | null | undefined>;
type PrivateKind = Extract<ColumnKind, 'private' | 'privateJson' | 'guarded'>;

const EMPTY: ReadonlySet<string> = new Set(['{}', '[]', 'null']);

/** Whether a value of this kind, as it is written, is stored encrypted. */
const IS_HIDDEN: Readonly<Record<PrivateKind, (text: string) => boolean>> = {
  private: () => true,
  privateJson: (text) => !EMPTY.has(text),
  guarded: (text) => !EMPTY.has(text) && hasSecret(JSON.parse(text) as Json),
};

const hasSecret = (json: Json): boolean => maskSecrets(json) !== json;

const isPrivate = (kind: ColumnKind): kind is PrivateKind => Object.hasOwn(IS_HIDDEN, kind);

/** The place of a column's value, for the cipher. */
export const placeOf = (table: string, rowKey: string, column: string): string =>
  `${table}:${rowKey}:${column}`;

export function privateColumns(table: string, columns: Columns): PrivateColumns {
  const kinds = new Map(
    Object.entries(columns).flatMap(([field, kind]) => (isPrivate(kind) ? [[snakeCase(field), kind]] : [])),
  );
  const names = [...kinds.keys()];

  function hidden(cipher: SecretCipher, rowKey: string, column: string, value: string): string {
    const kind = kinds.get(column);
    if (kind === undefined || !IS_HIDDEN[kind](value)) return value;
    return cipher.encrypt(placeOf(table, rowKey, column), value);
  }

  return {
    names,
    hidden,
    has: (column) => kinds.has(column),
    hide(cipher, rowKey, values) {
      const texts = values as Texts;
      for (const name of names) {
        const value = texts[name];
        if (typeof value === 'string') texts[name] = hidden(cipher, rowKey, name, value);
      }
    },
    show(cipher, rowKey, row) {
      const texts = row as Texts;
      for (const [name, kind] of kinds) {
        const value = texts[name];
        if (typeof value !== 'string') continue;
        // A guarded value is JSON unless it is encrypted, and the others are always encrypted.
        if (isEncrypted(value) || (kind !== 'guarded' && !EMPTY.has(value)))
          texts[name] = cipher.decrypt(placeOf(table, rowKey, name), value);
      }
    },
  };
}
