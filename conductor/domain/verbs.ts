/**
 * The verbs of `PUT /v1/nodes/{n}/states/provision`: what event each one is, since which API
 * microversion, and the body keys it takes. Where a verb is legal follows from the state table.
 */
import type { ProvisionEvent, ProvisionState } from './states.ts';
import { eventsFrom, TRANSITIONS } from './states.ts';

export interface VerbSpec {
  readonly event: ProvisionEvent;
  /** API microversion 1.N that introduced it. */
  readonly since: number;
  readonly takes?: readonly BodyKey[];
  readonly requires?: readonly BodyKey[];
}

export type BodyKey =
  | 'configdrive'
  | 'deploy_steps'
  | 'clean_steps'
  | 'service_steps'
  | 'disable_ramdisk'
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
  clean: { event: 'clean', since: 15, takes: ['clean_steps', 'disable_ramdisk'], requires: ['clean_steps'] },
  abort: { event: 'abort', since: 13 },
  adopt: { event: 'adopt', since: 17 },
  rescue: { event: 'rescue', since: 38, takes: ['rescue_password'], requires: ['rescue_password'] },
  unrescue: { event: 'unrescue', since: 38 },
  unhold: { event: 'unhold', since: 85 },
  service: {
    event: 'service',
    since: 87,
    takes: ['service_steps', 'disable_ramdisk'],
    requires: ['service_steps'],
  },
} as const satisfies Record<string, VerbSpec>;

export type Verb = keyof typeof VERBS;

export function isVerb(text: string): text is Verb {
  return Object.hasOwn(VERBS, text);
}

/** Verbs an operator may give in `state`; the error text for an illegal verb lists them. */
export function verbsFrom(state: ProvisionState): Verb[] {
  const events: readonly ProvisionEvent[] = eventsFrom(state);
  // The engine's own `deleting -> clean -> cleaning` shares its event name with the verb.
  if (state === 'deleting') return [];
  return (Object.keys(VERBS) as Verb[]).filter(
    (verb) => events.includes(VERBS[verb].event) && verb !== 'deploy' && verb !== 'undeploy',
  );
}

/** States from which `verb` is legal, for docs and tests. */
export function statesFor(verb: Verb): ProvisionState[] {
  return TRANSITIONS.filter(
    ([from, event]) => event === VERBS[verb].event && from !== 'deleting' && from !== 'cleaning',
  ).map(([from]) => from);
}
