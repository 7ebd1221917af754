import type { OperationDefinition } from './definition.ts';

/**
 * Cleaning. Automated: on the way to `available`, after `provide` and after an instance was deleted. Manual: with the
 * steps that an operator names, from and to `manageable`.
 */
export const clean = {
  states: {
    busy: 'cleaning',
    wait: 'clean wait',
    hold: 'clean hold',
    failed: 'clean failed',
    done: 'available',
  },
  verbs: {
    provide: { event: 'provide', since: 4, refusedIn: ['retired'] },
    clean: {
      event: 'clean',
      since: 15,
      takes: ['clean_steps', 'disable_ramdisk', 'runbook'],
      requires: ['clean_steps', 'runbook'],
      refusedIn: ['maintenance'],
      steps: 'given',
      target: 'manageable',
    },
  },
  starts: { provide: ['manageable'], clean: ['manageable'] },
  moves: [
    ['cleaning', 'manage', 'manageable'],
    ['clean failed', 'manage', 'manageable'],
  ],
  // A retired node is cleaned but does not become available.
  endsOtherwise: ({ manual }, { retired }) => (manual === true || retired ? 'manage' : undefined),
  validates: ['power', 'boot', 'network'],
  agentExtension: 'clean',
  isSwitchedOff: ({ automatedClean }, settings) => !(automatedClean ?? settings.automatedClean),
  mayBeEmpty: true,
  maxHours: 72,
  bootsRamdisk: true,
  faultOnFailure: 'clean failure',
} as const satisfies OperationDefinition;
