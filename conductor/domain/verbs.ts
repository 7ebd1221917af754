/**
 * The verbs of `PUT /v1/nodes/{n}/states/provision`: what event each one is, since which API
 * microversion, and the body keys it takes. Where a verb is legal follows from the state table.
 */
import type { ProvisionEvent, ProvisionState } from './states.ts';
import { kindOf, nextState, TRANSITIONS } from './states.ts';

export interface VerbSpec {
  readonly event: ProvisionEvent;
  /** API microversion 1.N that introduced it. */
  readonly since: number;
  readonly takes?: readonly BodyKey[];
  /** One of these has to be there, and no two. */
  readonly requires?: readonly BodyKey[];
}

export type BodyKey =
  | 'configdrive'
  | 'deploy_steps'
  | 'clean_steps'
  | 'service_steps'
  | 'disable_ramdisk'
  | 'runbook'
  | 'rescue_password';

export const VERBS = {
  manage: { event: 'manage', since: 4 },
  provide: { event: 'provide', since: 4 },
  inspect: { event: 'inspect', since: 6 },
  active: { event: 'deploy', since: 1, takes: ['configdrive', 'deploy_steps'] },
  deploy: { event: 'deploy', since: 73, takes: ['configdrive', 'deploy_steps'] },
  rebuild: { event: 'rebuild', since: 1, takes: ['configdrive', 'deploy_steps'] },
  deleted: { event: 'delete', since: 1 },
  undeploy: { event: 'delete', since: 73 },
  clean: {
    event: 'clean',
    since: 15,
    takes: ['clean_steps', 'disable_ramdisk', 'runbook'],
    requires: ['clean_steps', 'runbook'],
  },
  abort: { event: 'abort', since: 13 },
  adopt: { event: 'adopt', since: 17 },
  rescue: { event: 'rescue', since: 38, takes: ['rescue_password'], requires: ['rescue_password'] },
  unrescue: { event: 'unrescue', since: 38 },
  unhold: { event: 'unhold', since: 85 },
  service: {
    event: 'service',
    since: 87,
    takes: ['service_steps', 'disable_ramdisk', 'runbook'],
    requires: ['service_steps', 'runbook'],
  },
} as const satisfies Record<string, VerbSpec>;

export type Verb = keyof typeof VERBS;

export function isVerb(text: string): text is Verb {
  return Object.hasOwn(VERBS, text);
}

/**
 * The state `verb` leads to, or undefined where it is not legal. A busy node takes no verb: some of its
 * own moves (`deleting -> clean`, `cleaning -> manage`) only share their names with verbs.
 */
export function stateAfter(state: ProvisionState, verb: Verb): ProvisionState | undefined {
  return kindOf(state) === 'busy' ? undefined : nextState(state, VERBS[verb].event);
}

/** Verbs an operator may give in `state`; the error text for an illegal verb lists them. */
export function verbsFrom(state: ProvisionState): Verb[] {
  return (Object.keys(VERBS) as Verb[]).filter(
    (verb) => stateAfter(state, verb) !== undefined && verb !== 'deploy' && verb !== 'undeploy',
  );
}

/** States from which `verb` is legal, for docs and tests. */
export function statesFor(verb: Verb): ProvisionState[] {
  const states = new Set(TRANSITIONS.map(([from]) => from));
  return [...states].filter((state) => stateAfter(state, verb) !== undefined);
}
