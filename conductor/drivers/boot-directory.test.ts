import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTrustEvents, type TrustEvents } from '../../test/fakes/trust-events.ts';
import type { KernelParam, Mac, ScriptClient } from '../domain/boot.ts';
import type { NewNode, Node, RamdiskTarget } from '../domain/node.ts';
import type { Store } from '../domain/store/store.ts';
import { openStore } from '../store/sqlite/store.ts';
import { createBootDirectory, decisionFor } from './boot-directory.ts';

const MAC = '52:54:00:00:00:01' as Mac;
const kernelParams = ['nofb'] as unknown as KernelParam[];
const node = (bootTarget: Node['bootTarget'], provisionState = 'available') =>
  ({ uuid: 'n', bootTarget, provisionState }) as unknown as Node;

describe('a node boots', () => {
  it.each([
    [node({ kind: 'ramdisk', kernelParams }), { kind: 'ramdisk', nodeUuid: 'n', kernelParams }],
    [node({ kind: 'ramdisk', kernelParams }, 'active'), { kind: 'ramdisk', nodeUuid: 'n', kernelParams }],
    [node({ kind: 'disk' }), { kind: 'disk', nodeUuid: 'n' }],
    [node(null, 'active'), { kind: 'disk', nodeUuid: 'n' }],
    [node(null), { kind: 'nothing', nodeUuid: 'n' }],
  ])('from %j: %j', (from, decision) => {
    expect(decisionFor(from)).toEqual(decision);
  });
});

const TARGET: RamdiskTarget = { kind: 'ramdisk', kernelParams, bootSecret: 'secret-of-the-boot' };
const SECRET_WORD = 'ingot.boot-secret=secret-of-the-boot';
const OWN = '10.1.0.9';
const OTHER = '10.1.0.66';

let store: Store;
let trust: TrustEvents;
let uuid: string;

beforeEach(async () => {
  store = await openStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  trust = createTrustEvents();
  uuid = crypto.randomUUID();
  const record = { uuid, driver: 'ipmi', interfaces: {}, provisionState: 'wait call-back' };
  await store.nodes.create({ ...record, bootTarget: TARGET } as unknown as NewNode, new Date());
  await store.ports.create({ uuid: crypto.randomUUID(), nodeUuid: uuid, address: MAC }, new Date());
});

const directory = () => createBootDirectory({ store, trust, now: () => new Date() });
const script = (client: Partial<ScriptClient> = {}) =>
  directory().decideScript({ mac: MAC, address: OWN, leased: OWN, ...client });

it('finds the node of a machine by a port that may boot from the network', async () => {
  expect(await directory().decide({ mac: MAC })).toMatchObject({ kind: 'ramdisk', nodeUuid: uuid });
  expect(await directory().decide({ mac: '52:54:00:00:00:02' as Mac })).toEqual({ kind: 'unknown' });
  const [port] = await store.ports.list({ address: MAC }, { limit: 1, sortKey: 'id', sortDir: 'asc' });
  await store.ports.update(port!.uuid, { pxeEnabled: false }, new Date());
  expect(await directory().decide({ mac: MAC })).toEqual({ kind: 'unknown' });
});

describe('the boot secret', () => {
  it('is not in the decision for DHCP', async () => {
    expect(await directory().decide({ mac: MAC })).toEqual({ kind: 'ramdisk', nodeUuid: uuid, kernelParams });
  });

  it("is in the script for the machine's own address, as often as it asks", async () => {
    for (let time = 0; time < 3; time += 1)
      expect(await script()).toMatchObject({ kernelParams: ['nofb', SECRET_WORD] });
    expect(trust.events).toEqual([]);
  });

  it.each([
    ['another address', { address: OTHER }, `an address that is not the machine's ${OWN}`],
    ['an address of no lease', { leased: null }, "an address that is not the machine's"],
  ])('is not given to %s', async (_, client, what) => {
    expect(await script(client)).toEqual({ kind: 'refused' });
    expect(trust.events).toMatchObject([
      { kind: 'breached', node: uuid, what: expect.stringContaining(what) },
    ]);
  });

  it('is not given after the agent has called', async () => {
    await store.nodes.openSession(uuid, { token: 't', certificate: 'PEM' }, new Date());
    expect(await script()).toEqual({ kind: 'refused' });
    expect(trust.events).toMatchObject([{ what: expect.stringContaining('after the agent had called') }]);
  });

  it('is not given after a breach', async () => {
    await store.nodes.update(uuid, { bootTarget: { ...TARGET, breach: 'text' } }, new Date());
    expect(await script()).toEqual({ kind: 'refused' });
  });

  it('is given to the first address that asks, where other servers lease the addresses', async () => {
    const asks = (address: string) => script({ address, leased: undefined });
    expect((await asks(OWN)).kind).toBe('ramdisk');
    expect((await asks(OWN)).kind).toBe('ramdisk');
    expect(await asks(OTHER)).toEqual({ kind: 'refused' });
    expect(trust.events).toMatchObject([{ from: OTHER, what: expect.stringContaining(OWN) }]);
  });

  it('is missing in a boot that an earlier version has prepared', async () => {
    await store.nodes.update(uuid, { bootTarget: { kind: 'ramdisk', kernelParams } }, new Date());
    expect(await script({ address: OTHER })).toEqual({ kind: 'ramdisk', nodeUuid: uuid, kernelParams });
  });
});

it('the script of an unknown machine is of no interest to anybody', async () => {
  expect(await script({ mac: '52:54:00:00:00:02' as Mac, address: OTHER })).toEqual({ kind: 'unknown' });
  await store.nodes.update(uuid, { bootTarget: { kind: 'disk' } }, new Date());
  expect(await script({ address: OTHER })).toEqual({ kind: 'disk', nodeUuid: uuid });
  expect(trust.events).toEqual([]);
});
