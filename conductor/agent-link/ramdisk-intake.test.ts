import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NO_TRUST_EVENTS } from '../../test/fakes/trust-events.ts';
import type { Mac } from '../domain/boot.ts';
import type { NewNode } from '../domain/node.ts';
import type { RamdiskIntake } from '../domain/ramdisk-intake.ts';
import type { ProvisionState } from '../domain/states.ts';
import type { Store } from '../domain/store/store.ts';
import { openStore } from '../store/sqlite/store.ts';
import { createRamdiskIntake } from './ramdisk-intake.ts';

const MAC = '52:54:00:00:00:01' as Mac;
const OTHER_MAC = '52:54:00:00:00:02' as Mac;
const SOURCE = '192.0.2.9';
const URL_OF_AGENT = 'http://192.0.2.9:9999';

let store: Store;
let intake: RamdiskIntake;
let woken: string[];
let warnings: string[];

beforeEach(async () => {
  store = await openStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  woken = [];
  warnings = [];
  intake = createRamdiskIntake({
    store,
    logger: { warn: (_, message) => void warnings.push(message) },
    now: () => new Date(),
    wake: (uuid) => void woken.push(uuid),
    callbackProblem: async ({ url }) => (url === URL_OF_AGENT ? undefined : 'callback_url is forged.'),
    trust: NO_TRUST_EVENTS,
    allowPlaintext: true,
  });
});

async function nodeIn(provisionState: ProvisionState, mac = MAC): Promise<string> {
  const uuid = crypto.randomUUID();
  const node = { uuid, driver: 'ipmi', interfaces: {}, provisionState } as unknown as NewNode;
  await store.nodes.create(node, new Date());
  await store.ports.create({ uuid: crypto.randomUUID(), nodeUuid: uuid, address: mac }, new Date());
  return uuid;
}

const beat = (uuid: string, token: string | null, callbackUrl = URL_OF_AGENT) =>
  intake.heartbeat(uuid, { callbackUrl, token, version: 'ingot/1', verifyCa: null, source: SOURCE });

describe('a lookup', () => {
  it('returns the token once a boot and wakes the node', async () => {
    const uuid = await nodeIn('wait call-back');
    const first = await intake.lookup({ macs: [MAC], source: SOURCE });
    expect([first.node.uuid, first.token.length]).toEqual([uuid, 43]);
    expect((await intake.lookup({ macs: [], nodeUuid: uuid, source: SOURCE })).token).toBe('******');
    expect(woken).toEqual([uuid]);
    expect((await store.sightings.forNode(uuid, new Date(0))).map(({ kind }) => kind)).toEqual(['lookup']);
  });

  it('gives the same error for an unknown machine and for a node in a state that expects no agent', async () => {
    await nodeIn('available');
    const texts = await Promise.all(
      [MAC, OTHER_MAC].map((mac) =>
        intake.lookup({ macs: [mac], source: SOURCE }).catch((error: Error) => error.message),
      ),
    );
    expect(new Set(texts).size).toBe(1);
  });

  it('that matches several nodes is rejected', async () => {
    await nodeIn('wait call-back');
    await nodeIn('wait call-back', OTHER_MAC);
    await expect(intake.lookup({ macs: [MAC, OTHER_MAC], source: SOURCE })).rejects.toThrow(
      /^No node was found/,
    );
    expect(warnings).toEqual(['a lookup matches several nodes and is refused']);
  });
});

describe('a heartbeat', () => {
  it('needs the token of the session', async () => {
    const uuid = await nodeIn('wait call-back');
    await expect(beat(uuid, 'x')).rejects.toThrow('no agent has looked this node up since its last boot');
    const { token } = await intake.lookup({ macs: [MAC], source: SOURCE });
    for (const wrong of [null, '', `${token.slice(0, -1)}!`])
      await expect(beat(uuid, wrong)).rejects.toThrow('the agent token is missing or wrong');
    await beat(uuid, token);
    expect((await store.nodes.find(uuid))?.agent).toMatchObject({ url: URL_OF_AGENT, version: 'ingot/1' });
    expect(woken).toEqual([uuid, uuid]);
  });

  it('keeps its callback URL; the first one of a boot is a sighting', async () => {
    const uuid = await nodeIn('wait call-back');
    const { token } = await intake.lookup({ macs: [MAC], source: SOURCE });
    await expect(beat(uuid, token, 'file:///etc')).rejects.toThrow('callback_url is forged');
    expect(warnings).toEqual(['a heartbeat names a callback URL that is refused']);
    expect((await store.nodes.find(uuid))?.agent).toMatchObject({ url: null, lastHeartbeatAt: null });
    await beat(uuid, token);
    expect(await store.sightings.forNode(uuid, new Date(0))).toHaveLength(2);
    await beat(uuid, token);
    await expect(beat(uuid, token, 'http://192.0.2.10:9999')).rejects.toThrow('callback_url may not change');
    const seen = await store.sightings.forNode(uuid, new Date(0));
    expect(seen.map(({ kind, detail }) => [kind, detail])).toEqual([
      ['lookup', undefined],
      ['heartbeat', '192.0.2.9:9999'],
    ]);
  });

  it('of an unknown node is rejected, and in a stable state wakes no node', async () => {
    await expect(beat('no-such-node', 'x')).rejects.toThrow('Node no-such-node could not be found.');
    const uuid = await nodeIn('wait call-back');
    const { token } = await intake.lookup({ macs: [MAC], source: SOURCE });
    await store.nodes.update(uuid, { provisionState: 'active' }, new Date());
    woken = [];
    await beat(uuid, token);
    expect(woken).toEqual([]);
  });
});

describe('inspection data', () => {
  const inventory = { interfaces: [{ mac_address: MAC.toUpperCase() }] };

  it('is stored for the node that waits for it, and wakes it', async () => {
    const uuid = await nodeIn('inspect wait');
    const { node, token } = await intake.continueInspection({
      source: SOURCE,
      inventory,
      pluginData: { logs: 'x' },
    });
    expect([node.uuid, token]).toEqual([uuid, '******']);
    expect(await store.inventory.get(uuid)).toEqual({ inventory, pluginData: { logs: 'x' } });
    expect((await store.nodes.find(uuid))?.inspectionFinishedAt).toBeInstanceOf(Date);
    expect(woken).toEqual([uuid]);
  });

  it('opens a session when it replaces a lookup', async () => {
    await nodeIn('inspect wait');
    const data = { inventory, pluginData: {}, opensSession: true, source: SOURCE };
    expect((await intake.continueInspection(data)).token).toHaveLength(43);
  });

  it('is rejected in another state', async () => {
    await nodeIn('active');
    const data = { inventory, pluginData: {}, source: SOURCE };
    await expect(intake.continueInspection(data)).rejects.toThrow(/^No node was found/);
  });

  it('is accepted for the node that it names, without an address', async () => {
    const uuid = await nodeIn('inspect wait', OTHER_MAC);
    const data = { inventory: {}, pluginData: {}, nodeUuid: uuid, source: SOURCE };
    expect((await intake.continueInspection(data)).node.uuid).toBe(uuid);
  });
});
