import type { OperationDefinition } from './definition.ts';

/** Checks that the BMC answers. */
export const verify = {
  states: { busy: 'verifying', failed: 'enroll', done: 'manageable' },
  verbs: { manage: { event: 'manage', since: 4 } },
  starts: { manage: ['enroll'] },
  validates: ['power'],
  maxHours: 1,
} as const satisfies OperationDefinition;
