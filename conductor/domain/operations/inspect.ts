import type { OperationDefinition } from './definition.ts';

/** Finds out which hardware the machine has. The arrival of the inventory may end the operation in its wait state. */
export const inspect = {
  states: { busy: 'inspecting', wait: 'inspect wait', failed: 'inspect failed', done: 'manageable' },
  verbs: { inspect: { event: 'inspect', since: 6 } },
  starts: { inspect: ['manageable', 'inspect failed'] },
  moves: [
    ['inspect wait', 'done', 'manageable'],
    ['inspect failed', 'manage', 'manageable'],
  ],
  validates: ['power', 'inspect', 'boot'],
  maxHours: 2,
  onStart: (now) => ({ inspectionStartedAt: now, inspectionFinishedAt: null }),
  onFinish: ({ inspectionFinishedAt }, now) => ({
    inspectionStartedAt: null,
    inspectionFinishedAt: inspectionFinishedAt ?? now,
  }),
  onFailure: { inspectionStartedAt: null },
  bootsRamdisk: true,
} as const satisfies OperationDefinition;
