import type { OperationDefinition } from './definition.ts';

/** Boots the ramdisk on a machine with an instance, so that its user can log in with the given password. */
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
