/**
 * The store on SQL: opens the database, brings its schema up to date and puts the sub-stores together.
 *
 * Every call is durable when its promise resolves. One connection serves all calls in their order; while a
 * transaction is open, calls on the outer store wait for its end. Inside `transaction`, use only the store that it
 * passes to you, and await each call: a call on the outer store throws there, because it would wait for itself.
 */
import { dirname, join } from 'node:path';
import type { Recorded } from '../../domain/resources.ts';
import type { ComputeStore } from '../../domain/store/compute.ts';
import type { RecordStore } from '../../domain/store/records.ts';
import type { Store } from '../../domain/store/store.ts';
import { createBmcCipherSuites } from './bmc-cipher-suites.ts';
import { COMPUTE_TABLES } from './compute-tables.ts';
import type { Database } from './database.ts';
import { createDatabase } from './database.ts';
import { createHistoryStore } from './history.ts';
import { createInventoryStore } from './inventory.ts';
import { createLeaseStore } from './leases.ts';
import { migrate } from './migrate.ts';
import { createNodeStore } from './nodes.ts';
import { createOperationStore } from './operations.ts';
import { createRecordStore, type RecordTable } from './record-store.ts';
import { RECORD_TABLES } from './record-tables.ts';
import { createRevokedTokens } from './revoked-tokens.ts';
import { createSightingStore } from './sightings.ts';
import { openSqlite } from './sqlite.ts';
import { unlock } from './unlock.ts';

export interface StoreOptions {
  /** The database file, created with mode 0600 if it is missing. `:memory:`: a database that is lost on close. */
  readonly path: string;
  /** The key file of its secrets, created for a new database. By default `secrets.key` beside the database. */
  readonly keyFile?: string | undefined;
  readonly logger?: {
    info(fields: object, message: string): void;
    error?(fields: object, message: string): void;
  };
}

/** Throws IngotError('unsupported') if the schema is newer than this program, or the keys of the secrets are missing. */
export async function openStore({ path, keyFile, logger }: StoreOptions): Promise<Store> {
  const engine = openSqlite(path);
  const db = createDatabase(engine);
  try {
    const migrations = await migrate(db, path);
    if (migrations.length > 0) logger?.info({ path, migrations }, 'database schema brought up to date');
    if (path === ':memory:') return storeOn(db, wholeStore);
    const files = { path, keyFile: keyFile ?? join(dirname(path), 'secrets.key') };
    const { cipher, encrypted } = await unlock(db, files, (error) => {
      logger?.error?.({ path }, error.message);
    });
    if (encrypted > 0) logger?.info({ ...files, encrypted }, 'secrets in the database are encrypted now');
    return storeOn(createDatabase(engine, cipher), wholeStore);
  } catch (error) {
    await db.close();
    throw error;
  }
}

type Makers<T> = { readonly [K in keyof T]: (db: Database) => T[K] };
type SubStores = Omit<Store, 'transaction' | 'close'>;

const table =
  <T extends Recorded>(of: RecordTable) =>
  (db: Database): RecordStore<T> =>
    createRecordStore<T>(db, of);

const COMPUTE: Makers<ComputeStore> = {
  flavors: table(COMPUTE_TABLES.flavors),
  keypairs: table(COMPUTE_TABLES.keypairs),
  serverGroups: table(COMPUTE_TABLES.serverGroups),
  aggregates: table(COMPUTE_TABLES.aggregates),
  computeServices: table(COMPUTE_TABLES.computeServices),
  servers: table(COMPUTE_TABLES.servers),
  instanceActions: table(COMPUTE_TABLES.instanceActions),
  schedulingReports: table(COMPUTE_TABLES.schedulingReports),
  images: table(COMPUTE_TABLES.images),
  networks: table(COMPUTE_TABLES.networks),
  subnets: table(COMPUTE_TABLES.subnets),
  networkPorts: table(COMPUTE_TABLES.networkPorts),
  ipAllocations: table(COMPUTE_TABLES.ipAllocations),
};

const OTHERS: Makers<Omit<SubStores, 'compute'>> = {
  nodes: createNodeStore,
  ports: table(RECORD_TABLES.ports),
  portgroups: table(RECORD_TABLES.portgroups),
  chassis: table(RECORD_TABLES.chassis),
  deployTemplates: table(RECORD_TABLES.deployTemplates),
  runbooks: table(RECORD_TABLES.runbooks),
  inspectionRules: table(RECORD_TABLES.inspectionRules),
  allocations: table(RECORD_TABLES.allocations),
  volumeConnectors: table(RECORD_TABLES.volumeConnectors),
  volumeTargets: table(RECORD_TABLES.volumeTargets),
  operations: createOperationStore,
  history: createHistoryStore,
  sightings: createSightingStore,
  inventory: createInventoryStore,
  leases: createLeaseStore,
  revokedTokens: createRevokedTokens,
  bmcCipherSuites: createBmcCipherSuites,
};

const wholeStore = atOnce<SubStores>({ ...OTHERS, compute: atOnce(COMPUTE) });
const storeOfTransaction = onFirstUse<SubStores>({ ...OTHERS, compute: onFirstUse(COMPUTE) });

function atOnce<T extends object>(makers: Makers<T>): (db: Database) => T {
  const entries = Object.entries<(db: Database) => unknown>(makers);
  return (db) => Object.fromEntries(entries.map(([name, make]) => [name, make(db)])) as T;
}

/** Each transaction gets its own store and uses few parts of it, so each part is made when it is first used. */
function onFirstUse<T extends object>(makers: Makers<T>): (db: Database) => T {
  class Parts {
    readonly db: Database;
    constructor(db: Database) {
      this.db = db;
    }
  }
  for (const [name, make] of Object.entries<(db: Database) => unknown>(makers)) {
    Object.defineProperty(Parts.prototype, name, {
      get(this: Parts) {
        const value = make(this.db);
        Object.defineProperty(this, name, { value, enumerable: true, configurable: true, writable: true });
        return value;
      },
    });
  }
  return (db) => new Parts(db) as unknown as T;
}

function storeOn(db: Database, subStores: (db: Database) => SubStores): Store {
  return Object.assign(subStores(db), {
    transaction: <T>(work: (store: Store) => Promise<T>) =>
      db.atomic((within) => work(storeOn(within, storeOfTransaction))),
    close: () => db.close(),
  });
}
