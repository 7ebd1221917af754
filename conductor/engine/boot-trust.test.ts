import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { BootTrust } from '../domain/boot-trust.ts';
import type { NewNode, RamdiskTarget } from '../domain/node.ts';
import type { Store } from '../domain/store/store.ts';
import { openStore } from '../store/sqlite/store.ts';
import { createBootTrust } from './boot-trust.ts';

const TARGET: RamdiskTarget = { kind: 'ramdisk', kernelParams: [], bootSecret: 'one' };
const EVENT = { from: '10.1.0.66', what: 'a lookup without the boot secret' };

let store: Store;
let trust: BootTrust;
let woken: string[];
let warned: number;
let uuid: string;

beforeEach(async () => {
  store = await openStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  woken = [];
  warned = 0;
  const wake = (node: string): void => void woken.push(node);
  const logger = {
    warn: () => {
      warned += 1;
    },
  };
  trust = createBootTrust({ store, host: 'c1', wake, logger, now: () => new Date() });
  uuid = crypto.randomUUID();
  const record = { uuid, driver: 'ipmi', interfaces: {}, provisionState: 'wait call-back' };
  await store.nodes.create({ ...record, bootTarget: TARGET } as unknown as NewNode, new Date());
});

const events = async () => (await store.history.list(uuid, { limit: 100 })).map(({ event }) => event);

it('a refused request is one event in the history of the node', async () => {
  await trust.refused(uuid, EVENT);
  await trust.refused(uuid, EVENT);
  expect(await store.history.list(uuid, { limit: 10 })).toMatchObject([
    {
      severity: 'ERROR',
      eventType: 'security',
      event: 'a lookup without the boot secret came from 10.1.0.66 and was refused',
      conductor: 'c1',
      state: 'wait call-back',
    },
  ]);
  expect([warned, woken]).toEqual([1, []]);
});

it('another kind, another sender and another boot are further events', async () => {
  await trust.refused(uuid, EVENT);
  await trust.refused(uuid, { ...EVENT, from: '10.1.0.67' });
  await trust.refused(uuid, { ...EVENT, what: 'a heartbeat' });
  await store.nodes.update(uuid, { bootTarget: { ...TARGET, bootSecret: 'two' } }, new Date());
  await trust.refused(uuid, EVENT);
  expect(await events()).toHaveLength(4);
});

it('a flood of senders does not push other entries out of the history', async () => {
  for (let host = 0; host < 40; host += 1) await trust.refused(uuid, { ...EVENT, from: `10.1.0.${host}` });
  expect(await events()).toHaveLength(16);
});

it('a breach is stored with the boot, once, and wakes the node', async () => {
  await trust.breached(uuid, EVENT);
  await trust.breached(uuid, { ...EVENT, from: '10.1.0.67' });
  const text =
    "a lookup without the boot secret came from 10.1.0.66: another machine may have this machine's boot secret";
  expect((await store.nodes.get(uuid)).bootTarget).toEqual({ ...TARGET, breach: text });
  expect(await events()).toEqual([text]);
  expect([warned, woken]).toEqual([1, [uuid]]);
});

it('a node that boots no ramdisk, and a deleted one, have no breach', async () => {
  await store.nodes.update(uuid, { bootTarget: { kind: 'disk' } }, new Date());
  await trust.breached(uuid, EVENT);
  await trust.breached('gone', EVENT);
  await trust.refused('gone', EVENT);
  expect(await events()).toEqual([]);
  expect((await store.nodes.get(uuid)).bootTarget).toEqual({ kind: 'disk' });
});
