/** Single nodes: creation, change, deletion, heartbeats and locks. */
import { describe, expect, it } from 'vitest';
import type { KernelParam } from '../../domain/boot.ts';
import type { Holder, NodePatch } from '../../domain/node.ts';
import { expectError, later, mac, NOW, newNode, newPort, SESSION, type Subject, step } from './samples.ts';

/** Every field that a caller may set, none with its default value. */
const FULL: NodePatch = {
  name: 'rack-7',
  driver: 'fake-hardware',
  driverInfo: { ipmi_address: '10.0.0.9', ipmi_password: 'pw', 'odd/key~': { list: [{ token: 7 }] } },
  instanceInfo: { image_source: 'http://images/x', configdrive: { meta_data: { a: [1] } } },
  instanceUuid: '6e2d5f3e-0000-4000-8000-000000000001',
  properties: { cpu_arch: 'x86_64' },
  extra: { rack: 7, deep: [null, true, 'ü\u0000'] },
  resourceClass: 'gold',
  conductorGroup: 'west',
  owner: 'o1',
  lessee: 'l1',
  description: 'quote \' and "; -- % _',
  shard: 's1',
  networkData: { links: [] },
  traits: ['CUSTOM_A', 'CUSTOM_B'],
  automatedClean: false,
  protected: true,
  protectedReason: 'p',
  retired: true,
  retiredReason: 'r',
  consoleEnabled: true,
  bootMode: 'uefi',
  secureBoot: true,
  provisionState: 'deploying',
  targetProvisionState: 'active',
  provisionUpdatedAt: later(1),
  powerState: 'power on',
  targetPowerState: 'power off',
  lastError: 'no',
  maintenance: true,
  maintenanceReason: 'm',
  fault: 'power failure',
  inspectionStartedAt: later(2),
  inspectionFinishedAt: later(3),
  bootTarget: { kind: 'ramdisk', kernelParams: ['quiet' as KernelParam] },
  agent: {
    url: 'https://a',
    token: 't',
    version: '1',
    verifyCa: 'PEM',
    proven: true,
    lastHeartbeatAt: later(4),
  },
  currentStep: step('write_image', { args: { password: 'p' } }),
  driverInternalInfo: { agent_version: '1' },
};

const holder = (patch: Partial<Holder> = {}): Holder => ({
  owner: 'conductor-1',
  purpose: 'deploy',
  since: NOW,
  deadline: later(60_000),
  ...patch,
});

export function nodeConformance(store: Subject): void {
  describe('nodes', () => {
    it('fills what is not given', async () => {
      const input = newNode();
      const { id, ...node } = await store().nodes.create(input, NOW);
      expect(id).toBeGreaterThan(0);
      expect(node).toEqual({
        ...input,
        name: null,
        driverInfo: {},
        instanceInfo: {},
        instanceUuid: null,
        chassisUuid: null,
        allocationUuid: null,
        properties: {},
        extra: {},
        resourceClass: null,
        conductorGroup: '',
        owner: null,
        lessee: null,
        description: null,
        shard: null,
        parentNode: null,
        disablePowerOff: false,
        instanceName: null,
        health: null,
        networkData: {},
        traits: [],
        automatedClean: null,
        protected: false,
        protectedReason: null,
        retired: false,
        retiredReason: null,
        consoleEnabled: false,
        raidConfig: {},
        targetRaidConfig: {},
        bootMode: null,
        secureBoot: null,
        targetProvisionState: null,
        provisionUpdatedAt: null,
        powerState: null,
        targetPowerState: null,
        lastError: null,
        maintenance: false,
        maintenanceReason: null,
        fault: null,
        inspectionStartedAt: null,
        inspectionFinishedAt: null,
        bootTarget: null,
        agent: null,
        holder: null,
        currentStep: null,
        driverInternalInfo: {},
        createdAt: NOW,
        updatedAt: null,
      });
    });

    it('keeps every field, on creation and on change', async () => {
      const created = await store().nodes.create(newNode(FULL), NOW);
      expect(created).toMatchObject(FULL);
      expect(await store().nodes.find(created.uuid)).toEqual(created);

      const plain = await store().nodes.create(newNode(), NOW);
      const distinct = { ...FULL, name: 'rack-8', instanceUuid: null };
      const changed = await store().nodes.update(plain.uuid, distinct, later(9));
      expect(changed).toMatchObject({ ...distinct, createdAt: NOW, updatedAt: later(9) });
      expect(await store().nodes.find('rack-8')).toEqual(changed);
    });

    it('changes only what the patch names, and null clears', async () => {
      const { uuid } = await store().nodes.create(newNode(FULL), NOW);
      const before = (await store().nodes.find(uuid))!;
      const after = await store().nodes.update(uuid, { name: null, agent: null, bootTarget: null }, later(1));
      expect(after).toEqual({ ...before, name: null, agent: null, bootTarget: null, updatedAt: later(1) });
    });

    it('finds by uuid or name', async () => {
      const { uuid } = await store().nodes.create(newNode({ name: 'rack-1' }), NOW);
      expect((await store().nodes.find(uuid))?.uuid).toBe(uuid);
      expect((await store().nodes.find('rack-1'))?.uuid).toBe(uuid);
      expect(await store().nodes.find('rack-2')).toBeUndefined();
      expect(await store().nodes.find('')).toBeUndefined();
    });

    it('refuses a second node with the same uuid, name or instance, and changes nothing', async () => {
      const first = await store().nodes.create(newNode({ name: 'a', instanceUuid: 'i' }), NOW);
      const second = await store().nodes.create(newNode({ driverInfo: { password: 'old' } }), NOW);
      const nodes = store().nodes;
      await expectError(
        nodes.create(newNode({ uuid: first.uuid }), NOW),
        'conflict',
        `A node with UUID ${first.uuid} already exists.`,
      );
      await expectError(
        nodes.create(newNode({ name: 'a' }), NOW),
        'conflict',
        'A node with name a already exists.',
      );
      await expectError(
        nodes.create(newNode({ instanceUuid: 'i' }), NOW),
        'conflict',
        'Instance i is already associated with a node',
      );
      await expectError(
        nodes.update(second.uuid, { name: 'a', driverInfo: { password: 'new' } }, NOW),
        'conflict',
        'A node with name a already exists.',
      );
      await expectError(
        nodes.update(second.uuid, { instanceUuid: 'i' }, NOW),
        'conflict',
        `this other node ${second.uuid}`,
      );
      expect(await nodes.find(second.uuid)).toEqual(second);
    });

    it('says when there is no such node', async () => {
      const text = 'Node gone could not be found.';
      await expectError(store().nodes.update('gone', { name: 'x' }, NOW), 'notFound', text);
      await expectError(store().nodes.update('gone', { driverInfo: { token: 'x' } }, NOW), 'notFound', text);
      await expectError(store().nodes.delete('gone'), 'notFound', text);
      await expectError(store().nodes.get('gone'), 'notFound', text);
      await expectError(store().nodes.peek('gone'), 'notFound', text);
      expect(await store().nodes.find('gone')).toBeUndefined();
    });

    it('deletes all that belongs to a node, so that it can be enrolled anew at once', async () => {
      const other = await store().nodes.create(newNode(), NOW);
      const { uuid } = await store().nodes.create(newNode(FULL), NOW);
      const port = await store().ports.create(newPort(uuid, mac(1)), NOW);
      const operation = await store().operations.create(
        { nodeUuid: uuid, kind: 'deploy', args: { configdrive: 'x' }, steps: [step('a')] },
        NOW,
      );
      await store().sightings.add({ kind: 'dhcp discover', at: NOW, mac: mac(1) });
      await store().leases.put({ mac: mac(1), address: '10.0.0.5', expiresAt: later(1_000) }, NOW);
      await store().inventory.put(uuid, { inventory: { a: 1 }, pluginData: {} }, NOW);

      await store().nodes.delete(uuid);

      expect(await store().nodes.find(uuid)).toBeUndefined();
      expect(await store().ports.find(port.uuid)).toBeUndefined();
      expect(await store().operations.find(operation.id)).toBeUndefined();
      expect(await store().operations.unfinished()).toEqual([]);
      expect(await store().leases.list()).toEqual([]);
      expect(await store().inventory.get(uuid)).toBeUndefined();

      await store().nodes.create(newNode({ ...FULL, uuid, driverInfo: {}, agent: null }), NOW);
      await store().ports.create(newPort(uuid, mac(1)), NOW);
      expect((await store().nodes.find(uuid))?.driverInfo).toEqual({});
      expect(await store().sightings.forNode(uuid, NOW)).toEqual([]);
      expect((await store().nodes.find(other.uuid))?.uuid).toBe(other.uuid);
    });

    it('finds nodes by any of their MACs, each once', async () => {
      const a = await store().nodes.create(newNode(), NOW);
      const b = await store().nodes.create(newNode(), NOW);
      await store().ports.create(newPort(a.uuid, mac(1)), NOW);
      await store().ports.create(newPort(a.uuid, mac(2)), NOW);
      await store().ports.create(newPort(b.uuid, mac(3)), NOW);
      const uuids = async (...numbers: number[]) =>
        (await store().nodes.findByMacs(numbers.map(mac))).map((node) => node.uuid);
      expect(await uuids(1, 2)).toEqual([a.uuid]);
      expect(await uuids(3, 9, 1)).toEqual([a.uuid, b.uuid]);
      expect(await uuids(9)).toEqual([]);
      expect(await uuids()).toEqual([]);
    });
  });

  describe('sessions', () => {
    it('gives one of many askers the token, and again after a power-off', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const session = { url: null, version: null, verifyCa: null, lastHeartbeatAt: null };
      for (const boot of ['first', 'second']) {
        const tokens = Array.from({ length: 5 }, (_, index) => `${boot} ${index}`);
        const got = await Promise.all(
          tokens.map((token) => store().nodes.openSession(uuid, { token, certificate: null }, later(5))),
        );
        expect(got.filter(Boolean)).toHaveLength(1);
        const token = tokens[got.indexOf(true)];
        expect(await store().nodes.find(uuid)).toMatchObject({
          agent: { ...session, token },
          updatedAt: later(5),
        });
        await store().nodes.update(uuid, { agent: null }, NOW);
      }
      expect(await store().nodes.openSession('gone', { token: 'token', certificate: null }, NOW)).toBe(false);
    });
  });

  describe('heartbeats', () => {
    const beat = { url: 'https://10.0.0.9:9999', version: '11', verifyCa: 'PEM', lastHeartbeatAt: later(5) };

    it('updates the session and keeps its token', async () => {
      const { uuid } = await store().nodes.create(newNode({ agent: SESSION }), NOW);
      await store().nodes.heartbeat(uuid, beat, later(5));
      expect((await store().nodes.find(uuid))?.agent).toEqual({
        ...beat,
        token: SESSION.token,
        proven: SESSION.proven,
      });
    });

    it('does not bring back a session that a power-off has ended', async () => {
      const { uuid } = await store().nodes.create(newNode({ agent: SESSION }), NOW);
      await store().nodes.update(uuid, { agent: null }, NOW);
      await expectError(store().nodes.heartbeat(uuid, beat, NOW), 'invalidState', 'no agent session');
      expect((await store().nodes.find(uuid))?.agent).toBeNull();
      await expectError(store().nodes.heartbeat('gone', beat, NOW), 'notFound', 'Node gone');
    });
  });

  describe('holding a node', () => {
    it('lets one of many callers have it', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const owners = Array.from({ length: 20 }, (_, index) => `conductor-${index}`);
      const got = await Promise.all(owners.map((owner) => store().nodes.hold(uuid, holder({ owner }))));
      expect(got.filter(Boolean)).toHaveLength(1);
      expect((await store().nodes.find(uuid))?.holder).toEqual(holder({ owner: owners[got.indexOf(true)]! }));
    });

    it('is given again to the same owner past the deadline, never to another', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      expect(await store().nodes.hold(uuid, holder({ deadline: later(10) }))).toBe(true);
      expect(await store().nodes.hold(uuid, holder({ since: later(10) }))).toBe(false);
      expect(await store().nodes.hold(uuid, holder({ owner: 'other', since: later(11) }))).toBe(false);
      expect(await store().nodes.hold(uuid, holder({ since: later(11), purpose: 'again' }))).toBe(true);
      expect((await store().nodes.find(uuid))?.holder?.purpose).toBe('again');
    });

    it('is released by its owner only', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      await store().nodes.hold(uuid, holder());
      await store().nodes.release(uuid, 'other');
      expect((await store().nodes.find(uuid))?.holder).toEqual(holder());
      await store().nodes.release(uuid, 'conductor-1');
      expect((await store().nodes.find(uuid))?.holder).toBeNull();
      expect(await store().nodes.hold(uuid, holder({ owner: 'other' }))).toBe(true);
    });

    it('is refused for a node that is not there', async () => {
      expect(await store().nodes.hold('gone', holder())).toBe(false);
      await store().nodes.release('gone', 'conductor-1');
    });

    it('survives a change of the node and ends for all nodes of an owner at its start', async () => {
      const [a, b, c] = await Promise.all([1, 2, 3].map(() => store().nodes.create(newNode(), NOW)));
      await store().nodes.hold(a!.uuid, holder());
      await store().nodes.hold(b!.uuid, holder());
      await store().nodes.hold(c!.uuid, holder({ owner: 'other' }));
      expect((await store().nodes.update(a!.uuid, { lastError: 'x' }, NOW)).holder).toEqual(holder());
      expect((await store().nodes.releaseAll('conductor-1')).sort()).toEqual([a!.uuid, b!.uuid].sort());
      expect((await store().nodes.find(a!.uuid))?.holder).toBeNull();
      expect((await store().nodes.find(c!.uuid))?.holder?.owner).toBe('other');
      expect(await store().nodes.releaseAll('conductor-1')).toEqual([]);
    });
  });
}
