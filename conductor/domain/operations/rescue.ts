import type { OperationDefinition } from './definition.ts';

/** Boots a machine that has an instance into the ramdisk, for its user to log in with the password given. */
export const rescue = {
  states: { busy: 'rescuing', wait: 'rescue wait', failed: 'rescue failed', done: 'rescue' },
  verbs: {
    rescue: {
      event: 'rescue',
      since: 38,
      takes: ['rescue_password'],
      requires: ['rescue_password'],
      refusedIn: ['maintenance'],
    },
  },
  starts: { rescue: ['active', 'rescue', 'rescue failed', 'unrescue failed', 'service failed'] },
  validates: ['power', 'rescue', 'boot', 'network'],
  maxHours: 2,
  bootsRamdisk: true,
} as const satisfies OperationDefinition;
