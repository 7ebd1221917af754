import { expect, it } from 'vitest';
import { sampleStep } from '../../test/fakes/engine-samples.ts';
import { startTestEngineParts, type TestEngineParts } from '../../test/fakes/test-engine-parts.ts';
import type { StepImplementation } from '../domain/drivers.ts';
import type { StepPatch } from '../domain/store/operations.ts';
import { recover } from './recovery.ts';

const done = async () => ({ kind: 'done' }) as const;
const deployStep = (step: string, onRestart: StepImplementation['onRestart']): StepImplementation => ({
  operation: 'deploy',
  step,
  priority: 50,
  abortable: false,
  onRestart,
  advance: done,
});
const steps = {
  deploy: [deployStep('resuming', 'resume'), deployStep('again', 'rerun'), deployStep('fragile', 'fail')],
};

/** The result of recovering a deployment that was at this step when the conductor stopped. */
async function recovered(
  test: TestEngineParts,
  step: Parameters<typeof sampleStep>[0],
  patch: StepPatch = { state: 'running', memo: { half: true } },
) {
  const { uuid } = await test.add({ provisionState: 'deploying' });
  const stored = await test.store.operations.create(
    { nodeUuid: uuid, kind: 'deploy', args: {}, steps: [sampleStep(step)] },
    test.clock.now,
  );
  await test.store.operations.updateStep(stored.id, 0, patch);
  expect(await recover(test.parts)).toEqual([uuid]);
  const operation = await test.store.operations.current(uuid);
  return { memo: operation?.steps[0]?.memo, error: operation?.error };
}

it.each([
  ['resuming', { memo: { half: true }, error: null }],
  ['again', { memo: {}, error: null }],
  [
    'fragile',
    {
      memo: { half: true },
      error:
        'deploy step deploy.fragile was interrupted by a restart of the conductor and cannot be taken up again.',
    },
  ],
] as const)('a step goes on as it declares: %s', async (step, expected) => {
  await using test = await startTestEngineParts({ steps });
  expect(await recovered(test, { step })).toEqual(expected);
});

it('a step that no driver has any more fails, unless it had not begun or is one of the agent', async () => {
  await using gone = await startTestEngineParts({ steps });
  expect((await recovered(gone, { step: 'gone' })).error).toContain(
    'deploy step deploy.gone was interrupted',
  );
  await using pending = await startTestEngineParts({ steps });
  expect((await recovered(pending, { step: 'fragile' }, { state: 'pending' })).error).toBeNull();
  await using agents = await startTestEngineParts({ steps });
  expect((await recovered(agents, { step: 'gone', where: 'agent' })).error).toBeNull();
});

it('a busy node without an operation fails, and the result of a power change is unknown', async () => {
  await using test = await startTestEngineParts();
  await test.add({ provisionState: 'verifying' });
  await test.add({ targetPowerState: 'power on' });
  await test.add({ provisionState: 'active' });
  expect(await recover(test.parts)).toEqual([]);
  expect(await test.find('n1')).toMatchObject({
    provisionState: 'enroll',
    lastError: 'The conductor restarted while the node was verifying and found no record of the work.',
  });
  expect(await test.find('n2')).toMatchObject({
    provisionState: 'manageable',
    targetPowerState: null,
    lastError: "The conductor restarted during a change to 'power on'; see the power state and ask again.",
  });
  expect(await test.find('n3')).toMatchObject({ provisionState: 'active', lastError: null, updatedAt: null });
});

it('a power change within an operation is continued by it, and is not an error', async () => {
  await using test = await startTestEngineParts({ steps });
  await test.add({ provisionState: 'deploying', targetPowerState: 'power on' });
  await test.store.operations.create({ nodeUuid: 'n1', kind: 'deploy', args: {}, steps: [] }, test.clock.now);
  await recover(test.parts);
  expect(await test.find('n1')).toMatchObject({ targetPowerState: null, lastError: null });
});

it('no lock of the stopped conductor remains', async () => {
  await using test = await startTestEngineParts();
  const { uuid } = await test.add();
  const { host } = test.parts.settings;
  const holder = { owner: host, purpose: 'deploy', since: test.clock.now, deadline: new Date(4e12) };
  await test.store.nodes.hold(uuid, holder);
  await recover(test.parts);
  expect((await test.find(uuid)).holder).toBeNull();
});
