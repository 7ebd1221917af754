import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRecordedDatabase, type RecordedDatabase } from '../../../test/fakes/recorded-database.ts';
import type { LeaseStore } from '../../domain/boot.ts';
import { later, mac } from '../conformance/samples.ts';
import { createLeaseStore } from './leases.ts';

let recorded: RecordedDatabase;
let leases: LeaseStore;
beforeEach(async () => {
  recorded = await openRecordedDatabase();
  leases = createLeaseStore(recorded.db);
});
afterEach(() => recorded[Symbol.asyncDispose]());

const put = (number: number, address: string, expiresIn: number, now: number) =>
  leases.put({ mac: mac(number), address, expiresAt: later(expiresIn) }, later(now));

it('an address is free at the end of its lease, not before, and the lease of the other machine is gone', async () => {
  await put(1, '10.0.0.5', 100, 0);
  expect(await put(2, '10.0.0.5', 200, 99)).toBe(false);
  expect(await leases.list()).toEqual([{ mac: mac(1), address: '10.0.0.5', expiresAt: later(100) }]);
  expect(await put(2, '10.0.0.5', 200, 100)).toBe(true);
  expect(await leases.list()).toEqual([{ mac: mac(2), address: '10.0.0.5', expiresAt: later(200) }]);
});

it('ended leases of other addresses stay: a machine gets its address again', async () => {
  await put(1, '10.0.0.5', 100, 0);
  await put(2, '10.0.0.6', 500, 400);
  expect(await leases.byMac(mac(1))).toMatchObject({ address: '10.0.0.5' });
});

it('an address is declined until the later of two times, and ended ones are forgotten', async () => {
  const rows = () => recorded.rows<{ address: string; until: number }>('select * from declined_addresses');
  const decline = (address: string, until: number, now: number) =>
    leases.decline({ address, until: later(until) }, later(now));
  await decline('10.0.0.5', 300, 0);
  await decline('10.0.0.5', 200, 1);
  await decline('10.0.0.6', 100, 2);
  expect(await rows()).toEqual([
    { address: '10.0.0.5', until: later(300).getTime() },
    { address: '10.0.0.6', until: later(100).getTime() },
  ]);
  await decline('10.0.0.7', 400, 100);
  expect((await rows()).map(({ address }) => address)).toEqual(['10.0.0.5', '10.0.0.7']);
});
