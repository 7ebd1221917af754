/**
 * Decrypted secrets of nodes and operations. A heartbeat reads the secrets of its node several times, and decrypting
 * takes longer than reading the row. They are in memory anyway wherever they are used.
 *
 * What is kept for a row is used only while its encrypted text is the same.
 */
import type { SecretValues } from './seal.ts';

const MAX_ROWS = 25_000;
const MAX_CHARACTERS = 12_000_000;
const MAX_LENGTH = 4_096;

export interface KeptSecrets {
  get(row: string, encrypted: string): SecretValues | undefined;
  put(row: string, encrypted: string, secrets: SecretValues): void;
}

interface Kept {
  readonly encrypted: string;
  readonly secrets: SecretValues;
}

export function createKeptSecrets(): KeptSecrets {
  const rows = new Map<string, Kept>();
  let characters = 0;

  function forget(row: string): void {
    characters -= rows.get(row)?.encrypted.length ?? 0;
    rows.delete(row);
  }

  return {
    get(row, encrypted) {
      const kept = rows.get(row);
      return kept?.encrypted === encrypted ? kept.secrets : undefined;
    },
    put(row, encrypted, secrets) {
      forget(row);
      // Objects are not shared, because a reader might change them.
      if (encrypted.length > MAX_LENGTH || [...secrets.values()].some((one) => typeof one === 'object'))
        return;
      rows.set(row, { encrypted, secrets });
      characters += encrypted.length;
      for (const oldest of rows.keys()) {
        if (rows.size <= MAX_ROWS && characters <= MAX_CHARACTERS) return;
        forget(oldest);
      }
    },
  };
}
