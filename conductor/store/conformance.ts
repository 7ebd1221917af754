/**
 * Tests that every implementation of the store must pass, for any database. Call it in a test file with a function that
 * opens an empty store; each test gets its own.
 */
import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../domain/store/store.ts';
import { bmcCipherSuiteConformance } from './conformance/bmc-cipher-suites.ts';
import { historyConformance } from './conformance/history.ts';
import { interleavingConformance } from './conformance/interleaving.ts';
import { leaseConformance } from './conformance/leases.ts';
import { listConformance } from './conformance/lists.ts';
import { nodeConformance } from './conformance/nodes.ts';
import { operationConformance } from './conformance/operations.ts';
import { portConformance } from './conformance/ports.ts';
import { recordConformance } from './conformance/records.ts';
import { revokedTokenConformance } from './conformance/revoked-tokens.ts';
import { secretConformance } from './conformance/secrets.ts';
import { sightingConformance } from './conformance/sightings.ts';
import { transactionConformance } from './conformance/transactions.ts';

export function storeConformance(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const subject = () => store;
    nodeConformance(subject);
    listConformance(subject);
    portConformance(subject);
    recordConformance(subject);
    operationConformance(subject);
    historyConformance(subject);
    sightingConformance(subject);
    leaseConformance(subject);
    revokedTokenConformance(subject);
    bmcCipherSuiteConformance(subject);
    secretConformance(subject);
    transactionConformance(subject);
    interleavingConformance(subject);
  });
}
