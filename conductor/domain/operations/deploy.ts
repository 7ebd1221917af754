import type { OperationDefinition } from './definition.ts';

/** Writes an image to the machine and boots it. A rebuild does the same again. */
export const deploy = {
  states: {
    busy: 'deploying',
    wait: 'wait call-back',
    hold: 'deploy hold',
    failed: 'deploy failed',
    done: 'active',
  },
  verbs: {
    active: {
      event: 'deploy',
      since: 1,
      takes: ['configdrive', 'deploy_steps'],
      refusedIn: ['maintenance'],
      steps: 'merged',
    },
    deploy: {
      event: 'deploy',
      since: 73,
      takes: ['configdrive', 'deploy_steps'],
      refusedIn: ['maintenance'],
      steps: 'merged',
    },
    rebuild: {
      event: 'rebuild',
      since: 1,
      takes: ['configdrive', 'deploy_steps'],
      refusedIn: ['maintenance', 'protected'],
      steps: 'merged',
      dropsConfigDrive: true,
    },
  },
  starts: { deploy: ['available', 'deploy failed'], rebuild: ['active', 'deploy failed', 'error'] },
  validates: ['power', 'deploy', 'boot', 'network', 'storage'],
  agentExtension: 'deploy',
  maxHours: 12,
  bootsRamdisk: true,
} as const satisfies OperationDefinition;
