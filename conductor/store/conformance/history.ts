/** Node history. */
import { describe, expect, it } from 'vitest';
import type { HistoryEntry } from '../../domain/store/history.ts';
import { expectError, later, NOW, newNode, type Subject } from './samples.ts';

const KEPT = 300;

const entry = (nodeUuid: string, number = 0): HistoryEntry => ({
  uuid: crypto.randomUUID(),
  nodeUuid,
  createdAt: later(number),
  severity: 'ERROR',
  eventType: 'deploying',
  event: `event ${number}`,
  conductor: 'conductor-1',
  user: null,
  project: null,
  state: null,
  targetProvisionState: null,
  durationSeconds: null,
});

export function historyConformance(store: Subject): void {
  describe('history', () => {
    it('is found by node and uuid', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const first = {
        ...entry(uuid),
        user: 'admin',
        project: 'p',
        state: 'deploying',
        targetProvisionState: 'active',
        durationSeconds: 7,
        severity: 'INFO',
      } as const;
      await store().history.add(first);
      expect(await store().history.find(uuid, first.uuid)).toEqual(first);
      expect(await store().history.find('other', first.uuid)).toBeUndefined();
      expect(await store().history.find(uuid, 'other')).toBeUndefined();
      await expectError(store().history.add(entry('gone')), 'notFound', 'Node gone could not be found.');
      await expectError(store().history.add(first), 'conflict', first.uuid);
    });

    it('is listed oldest first, in pages', async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const entries = [entry(uuid, 1), entry(uuid, 2), entry(uuid, 3)];
      for (const one of entries) await store().history.add(one);
      expect(await store().history.list(uuid, { limit: 10 })).toEqual(entries);
      expect(await store().history.list(uuid, { limit: 2 })).toEqual(entries.slice(0, 2));
      const marker = entries[1]!.uuid;
      expect(await store().history.list(uuid, { limit: 2, marker })).toEqual(entries.slice(2));
      await expectError(store().history.list(uuid, { limit: 2, marker: 'gone' }), 'notFound', 'gone');
    });

    it(`keeps the newest ${KEPT} of each node`, async () => {
      const { uuid } = await store().nodes.create(newNode(), NOW);
      const other = await store().nodes.create(newNode(), NOW);
      await store().history.add(entry(other.uuid, 7));
      await store().transaction(async (tx) => {
        for (let number = 1; number <= KEPT + 5; number += 1) await tx.history.add(entry(uuid, number));
      });
      const kept = await store().history.list(uuid, { limit: 1_000 });
      expect(kept).toHaveLength(KEPT);
      expect([kept[0]?.event, kept.at(-1)?.event]).toEqual(['event 6', `event ${KEPT + 5}`]);
      expect(await store().history.list(other.uuid, { limit: 10 })).toHaveLength(1);
    });
  });
}
