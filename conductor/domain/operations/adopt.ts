import type { OperationDefinition } from './definition.ts';

/** Takes over a machine that already runs its own system, without touching it. */
export const adopt = {
  states: { busy: 'adopting', failed: 'adopt failed', done: 'active' },
  verbs: { adopt: { event: 'adopt', since: 17 } },
  starts: { adopt: ['manageable', 'adopt failed'] },
  moves: [['adopt failed', 'manage', 'manageable']],
  validates: [],
  maxHours: 1,
} as const satisfies OperationDefinition;
