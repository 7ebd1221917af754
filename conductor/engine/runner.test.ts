import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { after, sampleStep } from '../../test/fakes/engine-samples.ts';
import {
  startTestEngineParts,
  type TestEngineParts,
  type TestEnginePartsOptions,
} from '../../test/fakes/test-engine-parts.ts';
import type { StepContext, StepImplementation } from '../domain/drivers.ts';
import type { StepOutcome } from '../domain/step-outcome.ts';
import type { Step } from '../domain/steps.ts';
import { createRunner } from './runner.ts';

const DONE = { kind: 'done' } as const;
const waitUntil = (deadline: Date, wakeAt?: Date): StepOutcome => ({
  kind: 'wait',
  waitingFor: { kind: 'agent', text: 'agent to call back' },
  deadline,
  overdue: 'nobody came',
  ...(wakeAt === undefined ? {} : { wakeAt }),
});

/** A deployment with one step for each answer. `seen` contains what the store had when a step was called. */
async function deploying(
  answers: Record<string, (context: StepContext) => Promise<StepOutcome>>,
  options: TestEnginePartsOptions = {},
) {
  const seen: string[] = [];
  const implementations = Object.entries(answers).map(
    ([step, answer], index): StepImplementation => ({
      operation: 'deploy',
      step,
      priority: 100 - index,
      abortable: false,
      onRestart: 'resume',
      advance: async (context) => {
        const operation = await test.store.operations.current('n1');
        const { provisionState, currentStep, holder } = await test.find('n1');
        const states = operation?.steps.map((one) => one.state).join(' ');
        seen.push(`${step}: ${states}; ${provisionState}, ${currentStep?.step}, ${holder?.purpose}`);
        return answer(context);
      },
    }),
  );
  const test: TestEngineParts = await startTestEngineParts({
    ...options,
    steps: { deploy: implementations },
  });
  await test.add({ provisionState: 'deploying' });
  const begin = (steps: readonly Step[]) =>
    test.store.operations.create({ nodeUuid: 'n1', kind: 'deploy', args: {}, steps }, test.clock.now);
  await begin(Object.keys(answers).map((step) => sampleStep({ step, priority: 100 })));
  const runner = createRunner(test.parts);
  return {
    test,
    seen,
    look: () => runner.advance('n1'),
    operation: async () => (await test.store.operations.list('n1', 1))[0]!,
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

describe('the runner', () => {
  it('stores the start of a step before it is called, and runs one after the other', async () => {
    await using run = await deploying({ write: async () => DONE, boot: async () => DONE });
    expect(await run.look()).toBeUndefined();
    expect(run.seen).toEqual([
      'write: running pending; deploying, write, provisioning',
      'boot: done running; deploying, boot, provisioning',
    ]);
    expect(await run.test.find('n1')).toMatchObject({
      provisionState: 'active',
      holder: null,
      currentStep: null,
    });
  });

  it('waits for its writes, however long they take: no step is called earlier, and none twice', async () => {
    const slowly: TestEnginePartsOptions['around'] = (store) => ({
      ...store,
      async transaction(work) {
        await sleep(10);
        return store.transaction(work);
      },
    });
    const shown: unknown[] = [];
    const show = async ({ node, step }: StepContext) => {
      shown.push([step.step, step.state, node.currentStep?.step]);
      return DONE;
    };
    await using run = await deploying({ write: show, boot: show }, { around: slowly });
    await run.look();
    expect(run.seen).toEqual([
      'write: running pending; deploying, write, provisioning',
      'boot: done running; deploying, boot, provisioning',
    ]);
    expect(shown).toEqual([
      ['write', 'running', 'write'],
      ['boot', 'running', 'boot'],
    ]);
  });

  it('logs each start, end and wait once', async () => {
    const lines: string[] = [];
    const line = (level: string) => (fields: object, message: string) => {
      const { step } = fields as { step?: string };
      lines.push(`${level} ${step}: ${message}`);
    };
    const answers: StepOutcome[] = [waitUntil(after(60_000)), waitUntil(after(60_000)), DONE];
    await using run = await deploying({ boot: async () => answers.shift()! });
    const logger = { ...run.test.parts.logger, info: line('info'), debug: line('debug') };
    const runner = createRunner({ ...run.test.parts, logger });
    for (let look = 0; look < 3; look += 1) await runner.advance('n1');
    expect(lines.filter((text) => text.includes('boot:'))).toEqual([
      'info boot: step begins',
      'debug boot: waiting for agent to call back',
      'info boot: step done',
    ]);
  });

  it('does nothing for a node without an operation', async () => {
    await using run = await deploying({});
    await run.look();
    expect(await run.look()).toBeUndefined();
    expect((await run.test.find('n1')).provisionState).toBe('active');
  });

  it('waits in the wait state, and returns when to advance again', async () => {
    const answers: StepOutcome[] = [waitUntil(after(60_000), after(1_000)), waitUntil(after(60_000)), DONE];
    await using run = await deploying({ boot: async () => answers.shift()! });
    expect(await run.look()).toEqual(after(1_000));
    expect(await run.operation()).toMatchObject({
      state: 'waiting',
      waitingFor: { kind: 'agent', text: 'agent to call back' },
      deadline: after(60_000),
    });
    expect((await run.test.find('n1')).provisionState).toBe('wait call-back');
    expect(await run.look()).toEqual(after(60_000));
    await run.look();
    expect(run.seen[2]).toBe('boot: running; wait call-back, boot, provisioning');
    expect((await run.test.find('n1')).provisionState).toBe('active');
    expect(await run.operation()).toMatchObject({ state: 'done', waitingFor: null, deadline: null });
  });

  it('does not advance an operation on hold until an event comes', async () => {
    const waitingFor = { kind: 'operator', text: 'an operator' } as const;
    await using run = await deploying({ stand: async () => ({ kind: 'hold', waitingFor }) });
    expect(await run.look()).toBeUndefined();
    expect((await run.test.find('n1')).provisionState).toBe('deploy hold');
    expect(await run.operation()).toMatchObject({ state: 'waiting', waitingFor, deadline: null });
  });

  it('the changes of a step are stored before its end', async () => {
    await using run = await deploying({
      boot: async (context) => {
        await context.updateNode({ extra: { written: true } });
        return DONE;
      },
    });
    await run.look();
    expect(await run.test.find('n1')).toMatchObject({ extra: { written: true }, provisionState: 'active' });
  });

  it('fails a step that throws, that no driver has any more, or whose time is over', async () => {
    await using throwing = await deploying({ boot: () => Promise.reject(new Error('no such thing')) });
    expect(await throwing.look()).toBeUndefined();
    expect(await throwing.test.find('n1')).toMatchObject({
      provisionState: 'deploy failed',
      lastError: 'deploy step deploy.boot failed: fault of the conductor: no such thing.',
    });

    await using gone = await deploying({});
    await gone.test.store.operations.replaceSteps((await gone.operation()).id, 0, [
      sampleStep({ step: 'gone' }),
    ]);
    await gone.look();
    expect((await gone.test.find('n1')).lastError).toContain(
      'no interface of driver "fake-hardware" has this step',
    );

    await using late = await deploying({ boot: async () => waitUntil(after(0)) });
    await late.look();
    expect((await late.test.find('n1')).lastError).toBe('deploy step deploy.boot failed: nobody came.');
  });

  it('runs the steps of the agent through the agent', async () => {
    await using run = await deploying({});
    const step = sampleStep({ step: 'burn', where: 'agent' });
    await run.test.store.operations.replaceSteps((await run.operation()).id, 0, [step]);
    await run.look();
    expect((await run.test.find('n1')).lastError).toContain(
      'deploy step deploy.burn failed: fault of the conductor: no agent here',
    );
  });
});

describe('a shutdown during a step', () => {
  it('is not a failure: the step continues at the next start', async () => {
    const begun = Promise.withResolvers<void>();
    await using run = await deploying({
      write: async ({ signal }) => {
        begun.resolve();
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        return DONE;
      },
    });
    const look = expect(run.look()).rejects.toMatchObject({ code: 'interrupted' });
    await begun.promise;
    await run.test.parts.locks.close();
    await look;
    expect(await run.operation()).toMatchObject({
      state: 'running',
      error: null,
      steps: [{ state: 'running' }],
    });
    expect(run.test.told).toEqual([]);
  });

  it('the result of a step after that is not stored', async () => {
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using run = await deploying({
      write: async () => {
        begun.resolve();
        await end.promise;
        return DONE;
      },
    });
    const look = expect(run.look()).rejects.toMatchObject({ code: 'interrupted' });
    await begun.promise;
    const closed = run.test.parts.locks.close();
    end.resolve();
    await Promise.all([look, closed]);
    expect(await run.operation()).toMatchObject({ cursor: 0, steps: [{ state: 'running' }] });
  });
});
