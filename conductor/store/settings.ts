/**
 * Settings of the store.
 */
import type { Settings } from '../domain/setting.ts';

export const STORE_SETTINGS = {
  secretKeyFile: {
    name: 'secrets.key_file',
    type: 'path',
    default: null,
    help: 'File with the keys that encrypt the secrets in the database. Created at the first start, readable only by its owner. Without it the secrets are lost: back it up, but not beside the database. Unset: `secrets.key` in the data directory.',
  },
} as const satisfies Settings;
