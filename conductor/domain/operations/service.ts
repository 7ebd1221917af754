import type { OperationDefinition } from './definition.ts';

/** Runs steps that an operator names on a machine with an instance. The instance stays on its disks. */
export const service = {
  states: {
    busy: 'servicing',
    wait: 'service wait',
    hold: 'service hold',
    failed: 'service failed',
    done: 'active',
  },
  verbs: {
    service: {
      event: 'service',
      since: 87,
      takes: ['service_steps', 'disable_ramdisk', 'runbook'],
      requires: ['service_steps', 'runbook'],
      refusedIn: ['maintenance'],
      steps: 'given',
    },
  },
  starts: { service: ['active', 'service hold', 'service failed'] },
  moves: [
    ['service hold', 'fail', 'service failed'],
    ['service failed', 'wait', 'service wait'],
    ['service failed', 'hold', 'service hold'],
    ['service failed', 'abort', 'active'],
  ],
  validates: ['power', 'network'],
  agentExtension: 'service',
  maxHours: 72,
  bootsRamdisk: true,
} as const satisfies OperationDefinition;
