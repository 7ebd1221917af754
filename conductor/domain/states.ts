/**
 * Provision states. A node is always in exactly one. The operations (operations/) define the moves between them
 * (transitions.ts). The names are Ironic's wire values.
 *
 * `kind` says who must act next:
 *
 *   stable  the operator: a verb starts the next move
 *   busy    the conductor, which holds the lock of the node and works
 *   wait    the ramdisk, which must call back before the deadline
 *   hold    the operator, with the verb `unhold`
 *   failed  the operator: see last_error, then use one of the allowed verbs
 */
export type StateKind = 'stable' | 'busy' | 'wait' | 'hold' | 'failed';

interface StateSpec {
  readonly kind: StateKind;
  /** The state to which the operation leads, shown as target_provision_state; stable states have none. */
  readonly target?: string;
}

export const STATES = {
  enroll: { kind: 'stable' },
  verifying: { kind: 'busy', target: 'manageable' },
  manageable: { kind: 'stable' },
  available: { kind: 'stable' },
  active: { kind: 'stable' },

  inspecting: { kind: 'busy', target: 'manageable' },
  'inspect wait': { kind: 'wait', target: 'manageable' },
  'inspect failed': { kind: 'failed', target: 'manageable' },

  deploying: { kind: 'busy', target: 'active' },
  'wait call-back': { kind: 'wait', target: 'active' },
  'deploy hold': { kind: 'hold', target: 'active' },
  'deploy failed': { kind: 'failed', target: 'active' },

  deleting: { kind: 'busy', target: 'available' },
  error: { kind: 'stable' },
  cleaning: { kind: 'busy', target: 'available' },
  'clean wait': { kind: 'wait', target: 'available' },
  'clean hold': { kind: 'hold', target: 'available' },
  'clean failed': { kind: 'failed', target: 'available' },

  adopting: { kind: 'busy', target: 'active' },
  'adopt failed': { kind: 'failed', target: 'active' },

  rescue: { kind: 'stable' },
  rescuing: { kind: 'busy', target: 'rescue' },
  'rescue wait': { kind: 'wait', target: 'rescue' },
  'rescue failed': { kind: 'failed', target: 'rescue' },
  unrescuing: { kind: 'busy', target: 'active' },
  'unrescue failed': { kind: 'failed', target: 'active' },

  servicing: { kind: 'busy', target: 'active' },
  'service wait': { kind: 'wait', target: 'active' },
  'service hold': { kind: 'hold', target: 'active' },
  'service failed': { kind: 'failed', target: 'active' },
} as const satisfies Record<string, StateSpec>;

export type ProvisionState = keyof typeof STATES;

/** Events that move a node: verbs, and events of a running operation. */
export type ProvisionEvent =
  | 'manage'
  | 'provide'
  | 'clean'
  | 'inspect'
  | 'adopt'
  | 'deploy'
  | 'rebuild'
  | 'delete'
  | 'rescue'
  | 'unrescue'
  | 'service'
  | 'abort'
  | 'unhold'
  | 'done'
  | 'fail'
  | 'wait'
  | 'resume'
  | 'hold';

export function kindOf(state: ProvisionState): StateKind {
  return STATES[state].kind;
}

/** target_provision_state on entering `state`: null in stable states. */
export function targetOf(state: ProvisionState): ProvisionState | null {
  const spec: StateSpec = STATES[state];
  return (spec.target ?? null) as ProvisionState | null;
}

export function isProvisionState(text: string): text is ProvisionState {
  return Object.hasOwn(STATES, text);
}

/** Named sets of states, used by rules elsewhere; as in Ironic's states.py. */
export const STATE_SETS = {
  /** `DELETE /v1/nodes/{n}` is allowed outside maintenance. */
  deletable: ['enroll', 'manageable', 'adopt failed', 'available'],
  /** `PATCH /v1/nodes/{n}` is allowed although target_provision_state is set. */
  patchableInTransition: [
    'deploy failed',
    'inspecting',
    'inspect failed',
    'inspect wait',
    'clean failed',
    'error',
    'verifying',
    'adopt failed',
    'rescue failed',
    'unrescue failed',
    'service hold',
    'service failed',
  ],
  /** `*_interface` and resource_class may change. */
  interfacesChangeable: ['enroll', 'inspecting', 'inspect wait', 'manageable', 'available'],
  /** Connectivity of a port may change outside maintenance. */
  portsChangeable: ['enroll', 'inspecting', 'inspect wait', 'manageable'],
  /** `GET /v1/lookup` answers. */
  lookup: [
    'deploying',
    'wait call-back',
    'cleaning',
    'clean wait',
    'inspecting',
    'inspect wait',
    'rescuing',
    'rescue wait',
    'service wait',
  ],
  /** The node's agent may fetch the image that it writes. */
  fetchesImages: ['deploying', 'wait call-back', 'deploy hold'],
  /** A heartbeat wakes the operation. */
  heartbeatActs: ['wait call-back', 'clean wait', 'rescue wait', 'service wait'],
  /** A power change that an operator requests is refused. */
  powerChangeRefused: ['cleaning', 'clean wait'],
  /** Power sync skips the node. */
  powerSyncSkipped: ['enroll', 'wait call-back', 'clean wait', 'adopt failed'],
} as const satisfies Record<string, readonly ProvisionState[]>;

export function isIn(set: keyof typeof STATE_SETS, state: ProvisionState): boolean {
  return (STATE_SETS[set] as readonly ProvisionState[]).includes(state);
}
