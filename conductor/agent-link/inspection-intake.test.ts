import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Mac } from '../domain/boot.ts';
import { IngotError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import type { NewNode } from '../domain/node.ts';
import type { InspectionData } from '../domain/ramdisk-intake.ts';
import type { Store } from '../domain/store/store.ts';
import { openStore } from '../store/sqlite/store.ts';
import { createInspectionIntake, type InspectionIntake } from './inspection-intake.ts';

const NOW = new Date('2026-01-02T03:04:05Z');
const [MAC, FOREIGN] = ['52:54:00:00:00:01', '52:54:00:00:00:02'] as const;

let store: Store;
let intake: InspectionIntake;
let woken: string[];
beforeEach(async () => {
  store = await openStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  woken = [];
  intake = createInspectionIntake({
    store,
    logger: { warn: () => undefined },
    notFound: () => new IngotError('notFound', 'no such machine'),
    now: () => NOW,
    wake: (uuid) => void woken.push(uuid),
  });
  await add('mine', MAC, { driverInternalInfo: { kept: 1, inspection_problem: 'of an earlier inspection' } });
});

async function add(uuid: string, mac: string, fields: object = {}): Promise<void> {
  const node = { uuid, driver: 'ipmi', interfaces: {}, provisionState: 'inspect wait', ...fields };
  await store.nodes.create(node as unknown as NewNode, NOW);
  await store.ports.create({ uuid: crypto.randomUUID(), nodeUuid: uuid, address: mac as Mac }, NOW);
}

const inventoryOf = (...macs: string[]): JsonObject => ({
  interfaces: macs.map((mac_address, index) => ({ name: `eth${index}`, mac_address })),
});
async function bring(data: Partial<InspectionData>): Promise<string> {
  const whole = { inventory: {}, pluginData: {}, source: '192.0.2.9', ...data };
  const node = await intake.nodeOf(whole);
  await intake.keep(node, whole);
  return node.uuid;
}
const infoOf = async (uuid: string) => (await store.nodes.get(uuid)).driverInternalInfo;

it('keeps data without control characters, and forgets why earlier data was refused', async () => {
  const inventory = { ...inventoryOf(MAC), hostname: 'a\u001b[2Jb' };
  expect(await bring({ inventory, pluginData: { error: null, logs: 'QQ==' } })).toBe('mine');
  expect(await store.inventory.get('mine')).toEqual({
    inventory: { ...inventory, hostname: 'a\u{fffd}[2Jb' },
    pluginData: { error: null, logs: 'QQ==' },
  });
  expect(await store.nodes.get('mine')).toMatchObject({
    inspectionFinishedAt: NOW,
    driverInternalInfo: { kept: 1 },
  });
  expect(await infoOf('mine')).not.toHaveProperty('inspection_problem');
  expect(woken).toEqual(['mine']);
});

it('accepts data once a boot, also when two requests come at once', async () => {
  const [first, second] = [inventoryOf(MAC), { ...inventoryOf(MAC), hostname: 'second' }];
  const both = await Promise.allSettled([bring({ inventory: first }), bring({ inventory: second })]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  await expect(bring({ inventory: second, nodeUuid: 'mine' })).rejects.toThrow('no such machine');
  expect(await store.inventory.get('mine')).toMatchObject({ inventory: first });
});

describe('a MAC address of another node', () => {
  beforeEach(() => add('other', FOREIGN, { name: 'rack-7', provisionState: 'active' }));

  it.each<[string, Partial<InspectionData>]>([
    ['among the interfaces', { inventory: inventoryOf(MAC, FOREIGN.toUpperCase()) }],
    ['as the boot interface', { inventory: { ...inventoryOf(MAC), boot: { pxe_interface: FOREIGN } } }],
    ['of a machine that names its node', { inventory: inventoryOf(FOREIGN), nodeUuid: 'mine' }],
  ])('%s fails the inspection with the name of that node, which the agent is not told', async (_, data) => {
    await expect(bring(data)).rejects.toThrow(/^no such machine$/);
    expect(await infoOf('mine')).toMatchObject({
      inspection_problem: expect.stringContaining(`${FOREIGN}, of node other (rack-7)`),
    });
    expect((await store.nodes.get('mine')).inspectionFinishedAt).toEqual(NOW);
    expect(await store.inventory.get('mine')).toBeUndefined();
    expect(woken).toEqual(['mine']);
  });

  it('is refused without effect if no node, or more than one, waits for an inspection', async () => {
    await expect(bring({ inventory: inventoryOf(FOREIGN) })).rejects.toThrow('no such machine');
    await add('third', '52:54:00:00:00:03');
    const inventory = inventoryOf(MAC, '52:54:00:00:00:03');
    await expect(bring({ inventory })).rejects.toThrow('no such machine');
    expect(woken).toEqual([]);
  });
});

it('fails the inspection with the reason when the data is refused, which the agent is told', async () => {
  const inventory = inventoryOf(
    MAC,
    ...Array.from({ length: 20_000 }, (_, n) => `52:54:01:00:${n >> 8}:${n & 255}`),
  );
  const reason =
    'the inspection data was refused: inventory.interfaces has 20001 entries; at most 64 are allowed';
  await expect(bring({ inventory })).rejects.toMatchObject({ code: 'invalidParameter', message: reason });
  expect(await infoOf('mine')).toEqual({ kept: 1, inspection_problem: reason });
  expect(await store.inventory.get('mine')).toBeUndefined();
});
