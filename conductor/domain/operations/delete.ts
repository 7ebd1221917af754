import type { OperationDefinition } from './definition.ts';

/** Removes the instance from the machine; cleaning follows. */
export const deletion = {
  states: { busy: 'deleting', failed: 'error', done: 'cleaning' },
  verbs: {
    deleted: { event: 'delete', since: 1, refusedIn: ['protected'] },
    undeploy: { event: 'delete', since: 73, refusedIn: ['protected'] },
  },
  starts: {
    delete: [
      'wait call-back',
      'deploy failed',
      'active',
      'error',
      'rescue wait',
      'rescue',
      'rescue failed',
      'unrescue failed',
      'service wait',
      'service failed',
    ],
  },
  doneEvent: 'clean',
  validates: ['power'],
  maxHours: 1,
  onFinish: () => ({ instanceName: null }),
  endsAllocation: true,
} as const satisfies OperationDefinition;
