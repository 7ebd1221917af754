import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestEngineParts, type TestEngineParts } from '../../test/fakes/test-engine-parts.ts';
import type { Mac } from '../domain/boot.ts';
import { createPortRecords } from './port-records.ts';

const MAC = '52:54:00:00:00:01' as Mac;

let test: TestEngineParts;
let records: ReturnType<typeof createPortRecords>;
beforeEach(async () => {
  test = await startTestEngineParts({ settings: { lockQueueMs: 5 } });
  records = createPortRecords(test.parts);
});
afterEach(() => test[Symbol.asyncDispose]());

/** Runs `work` while other work has locked the node. */
const whileHeld = (uuid: string, work: () => Promise<void>) =>
  test.parts.locks.hold(uuid, { purpose: 'work', deadlineMs: 60_000, queueMs: 0 }, work);

describe('ports', () => {
  it('change under the lock of their node', async () => {
    const { uuid } = await test.add();
    const port = await records.createPort({ uuid: 'p1', nodeUuid: uuid, address: MAC });
    await whileHeld(uuid, async () => {
      await expect(records.updatePort(port.uuid, { extra: { a: 1 } })).rejects.toMatchObject({
        code: 'nodeLocked',
      });
      await expect(records.deletePort(port.uuid)).rejects.toMatchObject({ code: 'nodeLocked' });
    });
    await records.updatePort(port.uuid, { extra: { a: 1 } });
    expect((await test.store.ports.get('p1')).extra).toEqual({ a: 1 });
    await records.deletePort(port.uuid);
    expect(await test.store.ports.find('p1')).toBeUndefined();
  });

  it('whose address is in use: the error names the owner', async () => {
    await test.add();
    await test.add();
    await records.createPort({ uuid: 'p1', nodeUuid: 'n1', address: MAC });
    await expect(records.createPort({ uuid: 'p2', nodeUuid: 'n2', address: MAC })).rejects.toThrow(
      'It is port p1 of node n1: delete that one first, or correct "address".',
    );
  });

  it('of one port group have one physical network, whichever of the two changes', async () => {
    await test.add();
    await test.store.portgroups.create({ uuid: 'g1', nodeUuid: 'n1' }, test.clock.now);
    const port = (last: number, fields: object) =>
      records.createPort({
        uuid: `p${last}`,
        nodeUuid: 'n1',
        address: `52:54:00:00:00:0${last}` as Mac,
        ...fields,
      });
    await port(1, { portgroupUuid: 'g1', physicalNetwork: 'left' });
    await port(2, { physicalNetwork: 'right' });
    await port(3, { portgroupUuid: 'g1', physicalNetwork: 'left' });
    const conflict = { code: 'conflict', message: expect.stringContaining('physical network right') };
    await expect(records.updatePort('p2', { portgroupUuid: 'g1' })).rejects.toMatchObject(conflict);
    await expect(records.updatePort('p3', { physicalNetwork: 'right' })).rejects.toMatchObject(conflict);
    await records.updatePort('p2', { portgroupUuid: 'g1', physicalNetwork: 'left' });
    await expect(port(4, { portgroupUuid: 'g1' })).rejects.toMatchObject({ code: 'conflict' });
  });
});
