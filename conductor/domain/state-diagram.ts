/**
 * The state table as a page of docs/: a Mermaid diagram of all moves, and each operation in a row.
 */
import { OPERATION_KINDS, OPERATIONS } from './operations/table.ts';
import { kindOf, type ProvisionState, STATES, type StateKind } from './states.ts';
import { TRANSITIONS } from './transitions.ts';

const KINDS: Readonly<Record<StateKind, string>> = {
  stable: 'the conductor does nothing; a verb starts the next move',
  busy: 'the conductor works on the node',
  wait: 'the ramdisk must call back',
  hold: 'an operator must say `unhold`',
  failed: '`last_error` says why; the verbs that lead out of it say what may be tried',
};

const states = Object.keys(STATES) as ProvisionState[];
const idOf = (state: ProvisionState): string => state.replaceAll(/[^a-z]/g, '_');

/** Moves between the same two states are one arrow with all their events. */
function arrows(): string[] {
  const events = Map.groupBy(TRANSITIONS, ([from, , to]) => `  ${idOf(from)} --> ${idOf(to)}`);
  return [...events].map(([arrow, moves]) => `${arrow}: ${moves.map(([, event]) => event).join(', ')}`);
}

function diagram(): string {
  const names = states.map((state) => `  ${idOf(state)}: ${state}`);
  return ['```mermaid', 'stateDiagram-v2', ...names, '  [*] --> enroll', ...arrows(), '```'].join('\n');
}

function operationRow(kind: (typeof OPERATION_KINDS)[number]): string {
  const { states: of, verbs, maxHours } = OPERATIONS[kind];
  const under = [of.busy, of.wait, of.hold].filter((state) => state !== undefined);
  const cells = [kind, Object.keys(verbs).join(', '), under.join(', '), of.done, of.failed, `${maxHours} h`];
  return `| ${cells.join(' | ')} |`;
}

export function stateDocument(): string {
  return [
    '# Provision states',
    '',
    'Generated from `conductor/domain/operations/` by `npm run docs:states`. Do not edit.',
    '',
    '| Operation | Verbs | Under way | Done | Failed | Longest |',
    '| --- | --- | --- | --- | --- | --- |',
    ...OPERATION_KINDS.map(operationRow),
    '',
    diagram(),
    '',
    ...(Object.keys(KINDS) as StateKind[]).map((kind) => {
      const members = states.filter((state) => kindOf(state) === kind);
      return `- ${kind}: ${KINDS[kind]}. ${members.map((state) => `\`${state}\``).join(', ')}.`;
    }),
    '',
  ].join('\n');
}
