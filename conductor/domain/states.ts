/**
 * Provision states: the whole machine on one page.
 *
 * A node is always in exactly one of these states. The table is the only place that knows
 * which moves are legal; API verbs, timeouts, restart recovery, error texts and the diagram in
 * docs/ are derived from it. Strings are Ironic's wire values.
 *
 * `kind` says who must act next:
 *   stable  nobody; an operator verb starts the next move
 *   busy    this conductor holds the node and is working
 *   wait    the ramdisk must call back before the deadline
 *   hold    an operator must say `unhold`
 *   failed  nobody; last_error says why, the table says what may be tried
 */
export type StateKind = 'stable' | 'busy' | 'wait' | 'hold' | 'failed';

interface StateSpec {
  readonly kind: StateKind;
  /** Where a node in this state is heading, shown as target_provision_state; stable states have none. */
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

type Row = readonly [from: ProvisionState, event: string, to: ProvisionState];

export const TRANSITIONS = [
  ['enroll', 'manage', 'verifying'],
  ['verifying', 'done', 'manageable'],
  ['verifying', 'fail', 'enroll'],

  ['manageable', 'provide', 'cleaning'],
  ['manageable', 'clean', 'cleaning'],
  ['manageable', 'inspect', 'inspecting'],
  ['manageable', 'adopt', 'adopting'],

  ['inspecting', 'done', 'manageable'],
  ['inspecting', 'fail', 'inspect failed'],
  ['inspecting', 'wait', 'inspect wait'],
  ['inspect wait', 'done', 'manageable'],
  ['inspect wait', 'fail', 'inspect failed'],
  ['inspect wait', 'abort', 'inspect failed'],
  ['inspect wait', 'resume', 'inspecting'],
  ['inspect failed', 'manage', 'manageable'],
  ['inspect failed', 'inspect', 'inspecting'],

  ['available', 'deploy', 'deploying'],
  ['available', 'manage', 'manageable'],

  ['deploying', 'done', 'active'],
  ['deploying', 'fail', 'deploy failed'],
  ['deploying', 'wait', 'wait call-back'],
  ['deploying', 'hold', 'deploy hold'],
  ['wait call-back', 'resume', 'deploying'],
  ['wait call-back', 'hold', 'deploy hold'],
  ['wait call-back', 'fail', 'deploy failed'],
  ['wait call-back', 'abort', 'deploy failed'],
  ['wait call-back', 'delete', 'deleting'],
  ['deploy hold', 'unhold', 'wait call-back'],
  ['deploy hold', 'abort', 'deploy failed'],
  ['deploy failed', 'deploy', 'deploying'],
  ['deploy failed', 'rebuild', 'deploying'],
  ['deploy failed', 'delete', 'deleting'],

  ['active', 'rebuild', 'deploying'],
  ['active', 'delete', 'deleting'],
  ['active', 'rescue', 'rescuing'],
  ['active', 'service', 'servicing'],

  ['deleting', 'clean', 'cleaning'],
  ['deleting', 'fail', 'error'],
  ['error', 'rebuild', 'deploying'],
  ['error', 'delete', 'deleting'],

  ['cleaning', 'done', 'available'],
  ['cleaning', 'manage', 'manageable'],
  ['cleaning', 'fail', 'clean failed'],
  ['cleaning', 'wait', 'clean wait'],
  ['cleaning', 'hold', 'clean hold'],
  ['clean wait', 'resume', 'cleaning'],
  ['clean wait', 'hold', 'clean hold'],
  ['clean wait', 'fail', 'clean failed'],
  ['clean wait', 'abort', 'clean failed'],
  ['clean hold', 'unhold', 'clean wait'],
  ['clean hold', 'abort', 'clean failed'],
  ['clean failed', 'manage', 'manageable'],

  ['adopting', 'done', 'active'],
  ['adopting', 'fail', 'adopt failed'],
  ['adopt failed', 'adopt', 'adopting'],
  ['adopt failed', 'manage', 'manageable'],

  ['rescuing', 'done', 'rescue'],
  ['rescuing', 'wait', 'rescue wait'],
  ['rescuing', 'fail', 'rescue failed'],
  ['rescue wait', 'resume', 'rescuing'],
  ['rescue wait', 'fail', 'rescue failed'],
  ['rescue wait', 'abort', 'rescue failed'],
  ['rescue wait', 'delete', 'deleting'],
  ['rescue', 'rescue', 'rescuing'],
  ['rescue', 'unrescue', 'unrescuing'],
  ['rescue', 'delete', 'deleting'],
  ['rescue failed', 'rescue', 'rescuing'],
  ['rescue failed', 'unrescue', 'unrescuing'],
  ['rescue failed', 'delete', 'deleting'],
  ['unrescuing', 'done', 'active'],
  ['unrescuing', 'fail', 'unrescue failed'],
  ['unrescue failed', 'rescue', 'rescuing'],
  ['unrescue failed', 'unrescue', 'unrescuing'],
  ['unrescue failed', 'delete', 'deleting'],

  ['servicing', 'done', 'active'],
  ['servicing', 'fail', 'service failed'],
  ['servicing', 'wait', 'service wait'],
  ['servicing', 'hold', 'service hold'],
  ['service wait', 'resume', 'servicing'],
  ['service wait', 'hold', 'service hold'],
  ['service wait', 'fail', 'service failed'],
  ['service wait', 'abort', 'service failed'],
  ['service wait', 'delete', 'deleting'],
  ['service hold', 'service', 'servicing'],
  ['service hold', 'unhold', 'service wait'],
  ['service hold', 'fail', 'service failed'],
  ['service hold', 'abort', 'service failed'],
  ['service failed', 'service', 'servicing'],
  ['service failed', 'rescue', 'rescuing'],
  ['service failed', 'wait', 'service wait'],
  ['service failed', 'hold', 'service hold'],
  ['service failed', 'delete', 'deleting'],
  ['service failed', 'abort', 'active'],
] as const satisfies readonly Row[];

export type ProvisionEvent = (typeof TRANSITIONS)[number][1];

const NEXT = new Map<string, ProvisionState>(
  TRANSITIONS.map(([from, event, to]) => [`${from}\0${event}`, to]),
);

/** The state `event` leads to, or undefined if the move is not legal. */
export function nextState(from: ProvisionState, event: ProvisionEvent): ProvisionState | undefined {
  return NEXT.get(`${from}\0${event}`);
}

export function eventsFrom(from: ProvisionState): ProvisionEvent[] {
  return TRANSITIONS.filter(([state]) => state === from).map(([, event]) => event);
}

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

/** Sets of states that rules elsewhere are made of (features A.3). */
export const STATE_SETS = {
  /** `DELETE /v1/nodes/{n}` outside maintenance. */
  deletable: ['enroll', 'manageable', 'adopt failed', 'available'],
  /** `PATCH /v1/nodes/{n}` although target_provision_state is set. */
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
  /** A heartbeat wakes the operation. */
  heartbeatActs: ['wait call-back', 'clean wait', 'rescue wait', 'service wait'],
  /** Power sync leaves the node alone. */
  powerSyncSkipped: ['enroll', 'wait call-back', 'clean wait', 'adopt failed'],
} as const satisfies Record<string, readonly ProvisionState[]>;

export function isIn(set: keyof typeof STATE_SETS, state: ProvisionState): boolean {
  return (STATE_SETS[set] as readonly ProvisionState[]).includes(state);
}
