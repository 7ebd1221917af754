/**
 * The store on SQL: opens the database, brings its schema up to date and puts the sub-stores together.
 *
 * Every call is durable when its promise resolves. One connection serves all calls in the order they come;
 * while a transaction is open, calls on the outer store wait for its end. Inside `transaction` use only
 * the store it gives you, and await each call: using the outer one there throws, as it would wait for itself.
 */
import type { ComputeStore } from '../../domain/store/compute.ts';
import type { Store } from '../../domain/store/store.ts';
import { COMPUTE_TABLES } from './compute-tables.ts';
import type { Database } from './database.ts';
import { createDatabase } from './database.ts';
import { createHistoryStore } from './history.ts';
import { createInventoryStore } from './inventory.ts';
import { createLeaseStore } from './leases.ts';
import { migrate } from './migrate.ts';
import { createNodeStore } from './nodes.ts';
import { createOperationStore } from './operations.ts';
import { createRecordStore } from './record-store.ts';
import { RECORD_TABLES } from './record-tables.ts';
import { createRevokedTokens } from './revoked-tokens.ts';
import { createSightingStore } from './sightings.ts';
import { openSqlite } from './sqlite.ts';

export interface StoreOptions {
  /** File of the database, made with mode 0600 when it is not there; `:memory:` for one that lives as long as the store. */
  readonly path: string;
  readonly logger?: { info(fields: object, message: string): void };
}

/** Throws IngotError('unsupported') when the database is of a newer version. */
export async function openStore({ path, logger }: StoreOptions): Promise<Store> {
  const db = createDatabase(openSqlite(path));
  try {
    const migrations = await migrate(db, path);
    if (migrations.length > 0) logger?.info({ path, migrations }, 'database schema brought up to date');
    return storeOn(db);
  } catch (error) {
    await db.close();
    throw error;
  }
}

function storeOn(db: Database): Store {
  return {
    nodes: createNodeStore(db),
    ports: createRecordStore(db, RECORD_TABLES.ports),
    portgroups: createRecordStore(db, RECORD_TABLES.portgroups),
    chassis: createRecordStore(db, RECORD_TABLES.chassis),
    deployTemplates: createRecordStore(db, RECORD_TABLES.deployTemplates),
    runbooks: createRecordStore(db, RECORD_TABLES.runbooks),
    inspectionRules: createRecordStore(db, RECORD_TABLES.inspectionRules),
    allocations: createRecordStore(db, RECORD_TABLES.allocations),
    volumeConnectors: createRecordStore(db, RECORD_TABLES.volumeConnectors),
    volumeTargets: createRecordStore(db, RECORD_TABLES.volumeTargets),
    compute: computeStoreOn(db),
    operations: createOperationStore(db),
    history: createHistoryStore(db),
    sightings: createSightingStore(db),
    inventory: createInventoryStore(db),
    leases: createLeaseStore(db),
    revokedTokens: createRevokedTokens(db),
    transaction: (work) => db.atomic((within) => work(storeOn(within))),
    close: () => db.close(),
  };
}

function computeStoreOn(db: Database): ComputeStore {
  return {
    flavors: createRecordStore(db, COMPUTE_TABLES.flavors),
    keypairs: createRecordStore(db, COMPUTE_TABLES.keypairs),
    serverGroups: createRecordStore(db, COMPUTE_TABLES.serverGroups),
    aggregates: createRecordStore(db, COMPUTE_TABLES.aggregates),
    computeServices: createRecordStore(db, COMPUTE_TABLES.computeServices),
    servers: createRecordStore(db, COMPUTE_TABLES.servers),
    instanceActions: createRecordStore(db, COMPUTE_TABLES.instanceActions),
    schedulingReports: createRecordStore(db, COMPUTE_TABLES.schedulingReports),
    images: createRecordStore(db, COMPUTE_TABLES.images),
    networks: createRecordStore(db, COMPUTE_TABLES.networks),
    subnets: createRecordStore(db, COMPUTE_TABLES.subnets),
    networkPorts: createRecordStore(db, COMPUTE_TABLES.networkPorts),
    ipAllocations: createRecordStore(db, COMPUTE_TABLES.ipAllocations),
  };
}
