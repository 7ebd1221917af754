/**
 * The verbs of `PUT /v1/nodes/{n}/states/provision`. Those that start an operation stand in its definition; where a
 * verb is legal follows from the state table.
 */
import type { BodyKey, NodeCondition, VerbSpec } from './operations/definition.ts';
import { type DEFINITIONS, OPERATION_KINDS, OPERATIONS, type OperationKind } from './operations/table.ts';
import { kindOf, type ProvisionState } from './states.ts';
import { nextState, TRANSITIONS } from './transitions.ts';

export type { BodyKey, NodeCondition, VerbSpec };

/** Verbs that change the course of an operation that is under way. */
const CONTROLS = {
  abort: { event: 'abort', since: 13 },
  unhold: { event: 'unhold', since: 85 },
} as const satisfies Record<string, VerbSpec>;

type VerbsOf<D> = D extends { readonly verbs: infer V } ? keyof V : never;
export type Verb = VerbsOf<(typeof DEFINITIONS)[OperationKind]> | keyof typeof CONTROLS;

/** In the order in which the API got them. */
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
 * The state `verb` leads to, or undefined where it is not legal. A busy node takes no verb: some of its
 * own moves (`deleting -> clean`, `cleaning -> manage`) only share their names with verbs.
 */
export function stateAfter(state: ProvisionState, verb: Verb): ProvisionState | undefined {
  return kindOf(state) === 'busy' ? undefined : nextState(state, VERBS[verb].event);
}

/** Other names of a verb: the first that the API got is the one that error texts list. */
const isAlias = (verb: Verb): boolean => NAMES.find((one) => VERBS[one].event === VERBS[verb].event) !== verb;

/** Verbs an operator may give in `state`; the error text for an illegal verb lists them. */
export function verbsFrom(state: ProvisionState): Verb[] {
  return NAMES.filter((verb) => stateAfter(state, verb) !== undefined && !isAlias(verb));
}

/** States from which `verb` is legal, for docs and tests. */
export function statesFor(verb: Verb): ProvisionState[] {
  const states = new Set(TRANSITIONS.map(([from]) => from));
  return [...states].filter((state) => stateAfter(state, verb) !== undefined);
}
