import type { OperationDefinition } from './definition.ts';

/** Boots the instance of a rescued machine again. */
export const unrescue = {
  states: { busy: 'unrescuing', failed: 'unrescue failed', done: 'active' },
  verbs: { unrescue: { event: 'unrescue', since: 38, refusedIn: ['maintenance'] } },
  starts: { unrescue: ['rescue', 'rescue failed', 'unrescue failed'] },
  validates: ['power', 'rescue', 'network'],
  maxHours: 2,
  bootsRamdisk: true,
} as const satisfies OperationDefinition;
