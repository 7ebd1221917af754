import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serverOf } from '../../test/fakes/compute/records.ts';
import { TASK_STATES, VM_STATES } from '../domain/compute.ts';
import {
  BUILD_TASKS,
  checkVerb,
  isBuildTask,
  SERVER_VERBS,
  type ServerVerb,
  type VerbSpec,
  verbOf,
} from './server-states.ts';

const VERBS = Object.entries(SERVER_VERBS) as [ServerVerb, VerbSpec][];
const MEMBER = { isAdmin: false };

/** Allowed states of each verb in Nova's compute/api.py, without states that machines are never in. */
const NOVA = {
  delete: 'building active stopped rescued error',
  stop: 'active error',
  start: 'stopped',
  softReboot: 'active',
  hardReboot: 'active stopped error',
  rebuild: 'active stopped error',
  rescue: 'active stopped error',
  unrescue: 'rescued',
  attachInterface: 'active stopped',
  detachInterface: 'active stopped',
  triggerCrashDump: 'active rescued error',
} as const satisfies Partial<Record<ServerVerb, string>>;

describe('verbs of servers', () => {
  it('begin in the states that Nova allows', () => {
    const table = Object.fromEntries(VERBS.map(([verb, { from }]) => [verb, from.join(' ')]));
    expect(table).toMatchObject(NOVA);
  });

  it.each(VERBS)(
    '%s is rejected exactly in the states that are not in the table',
    (verb, { action, from, during, launched }) => {
      for (const vmState of VM_STATES) {
        for (const taskState of [null, ...TASK_STATES]) {
          const server = serverOf({ vmState, taskState, launchedAt: new Date() });
          const check = () => checkVerb(verb, server, MEMBER);
          if (vmState === 'deleted') expect(check).toThrow(`Instance ${server.uuid} could not be found.`);
          else if (!from.includes(vmState))
            expect(check).toThrow(
              `Cannot '${action}' instance ${server.uuid} while it is in vm_state ${vmState}`,
            );
          else if (!during.includes(taskState))
            expect(check).toThrow(`while it is in task_state ${taskState}`);
          else {
            expect(check).not.toThrow();
            const unborn = { ...server, launchedAt: null };
            if (launched)
              expect(() => checkVerb(verb, unborn, MEMBER)).toThrow(`is in an invalid state for '${action}'`);
            else expect(() => checkVerb(verb, unborn, MEMBER)).not.toThrow();
          }
        }
      }
    },
  );

  it('are allowed only for administrators when the server is locked', () => {
    const server = serverOf({ vmState: 'active', taskState: null, launchedAt: new Date(), isLocked: true });
    expect(() => checkVerb('stop', server, MEMBER)).toThrow(`Instance ${server.uuid} is locked`);
    expect(() => checkVerb('stop', server, { isAdmin: true })).not.toThrow();
    expect(() => checkVerb('unlock', server, MEMBER)).not.toThrow();
  });

  it('together use every task state except those of a build', () => {
    for (const task of TASK_STATES) {
      if (isBuildTask(task)) expect(BUILD_TASKS).toContain(task);
      else expect(verbOf(task).task).toBe(task);
    }
  });

  it('are documented', () => {
    const text = readFileSync(new URL('../../docs/server-life.md', import.meta.url), 'utf8');
    for (const row of VERBS.map(rowOf)) expect(text).toContain(row);
  });
});

/** A row of the table in the documentation. */
function rowOf([verb, { from, during, task, to }]: [ServerVerb, VerbSpec]): string {
  const amid = during.length > 3 ? 'anything' : during.flatMap((one) => one ?? []).join(', ');
  return `| ${verb} | ${from.join(', ')} | ${amid || '-'} | ${task ?? '-'} | ${to ?? '-'} |`;
}
