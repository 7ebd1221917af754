/**
 * The verbs of `PUT /v1/nodes/{n}/states/provision`. Verbs that start an operation are part of its definition. The
 * state table decides in which states a verb is allowed.
 */
import type { BodyKey, NodeCondition, VerbSpec } from './operations/definition.ts';
import { type DEFINITIONS, OPERATION_KINDS, OPERATIONS, type OperationKind } from './operations/table.ts';
import { kindOf, type ProvisionState } from './states.ts';
import { nextState, TRANSITIONS } from './transitions.ts';

export type { BodyKey, NodeCondition, VerbSpec };

/** Verbs that control a running operation. */
const CONTROLS = {
  abort: { event: 'abort', since: 13 },
  unhold: { event: 'unhold', since: 85 },
} as const satisfies Record<string, VerbSpec>;

type VerbsOf<D> = D extends { readonly verbs: infer V } ? keyof V : never;
export type Verb = VerbsOf<(typeof DEFINITIONS)[OperationKind]> | keyof typeof CONTROLS;

/** In the order in which the API introduced them. */
export const VERBS = Object.fromEntries(
  [...OPERATION_KINDS.map((kind) => OPERATIONS[kind].verbs), CONTROLS]
    .flatMap((verbs): [string, VerbSpec][] => Object.entries(verbs))
    .sort(([, a], [, b]) => a.since - b.since),
) as Readonly<Record<Verb, VerbSpec>>;

const NAMES = Object.keys(VERBS) as Verb[];

export function isVerb(text: string): text is Verb {
  return Object.hasOwn(VERBS, text);
}

/**
 * The state to which `verb` leads, or undefined when it is not allowed. A busy node accepts no verb: some of its own
 * events (`deleting -> clean`, `cleaning -> manage`) only have the names of verbs.
 */
export function stateAfter(state: ProvisionState, verb: Verb): ProvisionState | undefined {
  return kindOf(state) === 'busy' ? undefined : nextState(state, VERBS[verb].event);
}

/** Whether the verb is a later name of another verb. Error texts list only the first name. */
const isAlias = (verb: Verb): boolean => NAMES.find((one) => VERBS[one].event === VERBS[verb].event) !== verb;

/** Verbs that an operator may use in `state`; the error text of a verb that is not allowed lists them. */
export function verbsFrom(state: ProvisionState): Verb[] {
  return NAMES.filter((verb) => stateAfter(state, verb) !== undefined && !isAlias(verb));
}

/** States in which `verb` is allowed, for docs and tests. */
export function statesFor(verb: Verb): ProvisionState[] {
  const states = new Set(TRANSITIONS.map(([from]) => from));
  return [...states].filter((state) => stateAfter(state, verb) !== undefined);
}
