/** Secrets: the engine can read them while they are needed; afterwards they are deleted. */
import { describe, expect, it } from 'vitest';
import { MASK } from '../../domain/secrets.ts';
import { NOW, newNode, SESSION, type Subject, step } from './samples.ts';

export function secretConformance(store: Subject): void {
  describe('secrets', () => {
    const driverInfo = { ipmi_password: 'one', bmc: [{ token: { a: 1 } }], ipmi_address: 'x' };

    it('come back in every way of reading a node', async () => {
      const node = await store().nodes.create(newNode({ name: 'n', driverInfo, agent: SESSION }), NOW);
      expect(node.driverInfo).toEqual(driverInfo);
      const [listed] = await store().nodes.list({}, { limit: 1, sortKey: 'id', sortDir: 'asc' });
      expect(listed).toEqual(node);
      expect((await store().nodes.update(node.uuid, { extra: { a: 1 } }, NOW)).agent).toEqual(SESSION);
    });

    it('are not overwritten by the mask', async () => {
      const { uuid } = await store().nodes.create(newNode({ driverInfo }), NOW);
      const echoed = { ipmi_password: MASK, bmc: [{ token: MASK }], ipmi_address: 'y' };
      const node = await store().nodes.update(uuid, { driverInfo: echoed }, NOW);
      expect(node.driverInfo).toEqual({ ...driverInfo, ipmi_address: 'y' });
      const fresh = await store().nodes.create(newNode({ driverInfo: { ipmi_password: MASK } }), NOW);
      expect(fresh.driverInfo).toEqual({ ipmi_password: MASK });
    });

    it('go when the value goes', async () => {
      const { uuid } = await store().nodes.create(newNode({ driverInfo, agent: SESSION }), NOW);
      await store().nodes.update(uuid, { driverInfo: {}, agent: null }, NOW);
      const stars = { driverInfo: { ipmi_password: MASK }, agent: { ...SESSION, token: null } };
      const node = await store().nodes.update(uuid, stars, NOW);
      expect(node.driverInfo).toEqual({ ipmi_password: MASK });
      expect(node.agent?.token).toBeNull();
    });

    it('of one node are not those of another', async () => {
      const a = await store().nodes.create(newNode({ driverInfo: { ipmi_password: 'a' } }), NOW);
      const b = await store().nodes.create(newNode({ driverInfo: { ipmi_password: 'b' } }), NOW);
      await store().nodes.update(a.uuid, { driverInfo: { ipmi_password: 'c' } }, NOW);
      expect((await store().nodes.find(b.uuid))?.driverInfo).toEqual({ ipmi_password: 'b' });
    });

    it('of an operation live while it is at work', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const { id } = await store().operations.create(
        {
          nodeUuid: uuid,
          kind: 'deploy',
          args: { configdrive: { user_data: 'x' } },
          steps: [step('a', { args: { pull_secret: 's' } })],
        },
        NOW,
      );
      await store().operations.updateStep(id, 0, { memo: { token: 'm' } });
      const secretsOf = async () => {
        const operation = (await store().operations.find(id))!;
        const [first] = operation.steps;
        return [operation.args['configdrive'], first?.args['pull_secret'], first?.memo['token']];
      };
      expect(await secretsOf()).toEqual([{ user_data: 'x' }, 's', 'm']);
      await store().operations.update(id, { state: 'waiting' });
      expect(await secretsOf()).toEqual([{ user_data: 'x' }, 's', 'm']);
      await store().operations.update(id, { state: 'failed', finishedAt: NOW });
      expect(await secretsOf()).toEqual([MASK, MASK, MASK]);
      await store().operations.updateStep(id, 0, { memo: { token: 'late' } });
      expect(await secretsOf()).toEqual([MASK, MASK, MASK]);
    });
  });
}
