import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sampleStep } from '../../test/fakes/engine-samples.ts';
import { startTestEngineParts, type TestEngineParts } from '../../test/fakes/test-engine-parts.ts';
import type { StepImplementation } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { InterfaceType, NewNode } from '../domain/node.ts';
import { OPERATION_KINDS, OPERATIONS } from '../domain/operations/table.ts';
import type { ProvisionRequest } from './engine.ts';
import { createProvisioning } from './provisioning.ts';

/** One step for every operation, so that each is supported. */
const steps = OPERATION_KINDS.map(
  (operation): StepImplementation => ({
    operation,
    step: 'work',
    priority: 50,
    abortable: true,
    onRestart: 'resume',
    advance: async () => ({ kind: 'done' }),
  }),
);

let test: TestEngineParts;
let wake: ReturnType<typeof vi.fn<(nodeUuid: string) => void>>;
beforeEach(async () => {
  test = await startTestEngineParts({ steps: { deploy: steps } });
  wake = vi.fn<(nodeUuid: string) => void>();
});
afterEach(() => test[Symbol.asyncDispose]());

async function ask(request: ProvisionRequest, fields: Partial<NewNode> = {}) {
  const { uuid } = await test.add(fields);
  await createProvisioning({ ...test.parts, wake }).provision(uuid, request);
  return { node: await test.find(uuid), operation: await test.store.operations.current(uuid) };
}

describe('a verb that is accepted', () => {
  it('is stored, moves the node and wakes it', async () => {
    const by = { user: 'ann', project: null };
    const { node, operation } = await ask({ verb: 'inspect', by }, { lastError: 'earlier' });
    expect(operation).toMatchObject({
      kind: 'inspect',
      state: 'running',
      cursor: 0,
      args: { requestedBy: by },
      steps: [{ step: 'work', state: 'pending' }],
    });
    expect(node).toMatchObject({
      provisionState: 'inspecting',
      targetProvisionState: 'manageable',
      lastError: null,
      inspectionStartedAt: test.clock.now,
      holder: null,
    });
    expect(wake.mock.calls).toEqual([['n1']]);
  });

  it('may only move the node', async () => {
    const { node, operation } = await ask(
      { verb: 'manage' },
      { provisionState: 'clean failed', lastError: 'x' },
    );
    expect(node).toMatchObject({ provisionState: 'manageable', targetProvisionState: null, lastError: null });
    expect(operation).toBeUndefined();
  });

  it('ends the waiting operation', async () => {
    await test.add({ provisionState: 'wait call-back' });
    const made = { nodeUuid: 'n1', kind: 'deploy', args: {}, steps: [] } as const;
    const deploy = await test.store.operations.create(made, test.clock.now);
    await createProvisioning({ ...test.parts, wake }).provision('n1', { verb: 'deleted' });
    expect(await test.store.operations.find(deploy.id)).toMatchObject({
      state: 'aborted',
      error: 'ended by deleted',
    });
    expect(await test.store.operations.current('n1')).toMatchObject({ kind: 'delete' });
  });

  it('keeps the config drive with the instance', async () => {
    const { node } = await ask({ verb: 'active', configdrive: 'H4s' }, { provisionState: 'available' });
    expect(node.instanceInfo['configdrive']).toBe('H4s');
  });
});

describe('a verb that is refused', () => {
  it.each([
    [{ verb: 'active' }, {}, 'invalidState'],
    [{ verb: 'clean', cleanSteps: [] }, {}, 'missingParameter'],
    [{ verb: 'clean', cleanSteps: [{ step: 'hold' }] }, { maintenance: true }, 'invalidState'],
    [{ verb: 'rescue' }, { provisionState: 'active' }, 'missingParameter'],
    [{ verb: 'deleted' }, { provisionState: 'active', protected: true }, 'forbidden'],
    [{ verb: 'manage' }, { provisionState: 'deleting' }, 'invalidState'],
  ] as const)('changes nothing: %j of %j', async (request, fields, code) => {
    await expect(ask(request, fields)).rejects.toMatchObject({ code });
    expect(await test.store.operations.list('n1', 1)).toEqual([]);
    expect(await test.find('n1')).toMatchObject({ ...fields, holder: null, updatedAt: null });
    expect(wake).not.toHaveBeenCalled();
  });
});

describe('interfaces', () => {
  it.each([
    ['manage', 'enroll', 'verify'],
    ['inspect', 'manageable', 'inspect'],
    ['provide', 'manageable', 'clean'],
    ['active', 'available', 'deploy'],
    ['deleted', 'active', 'delete'],
    ['adopt', 'manageable', 'adopt'],
    ['unrescue', 'rescue', 'unrescue'],
  ] as const)(
    'are checked as the definition of the operation says: %s',
    async (verb, provisionState, kind) => {
      const checked: InterfaceType[] = [];
      const { uuid } = await test.add({ provisionState });
      const { all } = test.parts.hardware.of(await test.find(uuid));
      const noting = Object.fromEntries(
        Object.entries(all).map(([type, part]) => [
          type,
          { ...part, validate: () => void checked.push(type as InterfaceType) },
        ]),
      );
      const hardware = {
        ...test.parts.hardware.of(await test.find(uuid)),
        all: noting as unknown as typeof all,
      };
      const parts = { ...test.parts, hardware: { ...test.parts.hardware, of: () => hardware }, wake };
      await createProvisioning(parts).provision(uuid, { verb });
      expect(checked).toEqual(OPERATIONS[kind].validates);
    },
  );

  it('that do not validate are named in the error', async () => {
    const { all, ...rest } = test.parts.hardware.of(await test.add({ provisionState: 'enroll' }));
    const validate = () => {
      throw new IngotError('missingParameter', 'ipmi_address is missing');
    };
    const hardware = { ...rest, all: { ...all, power: { ...all.power, validate } } };
    const parts = { ...test.parts, hardware: { ...test.parts.hardware, of: () => hardware }, wake };
    await expect(createProvisioning(parts).provision('n1', { verb: 'manage' })).rejects.toThrow(
      expect.objectContaining({
        code: 'missingParameter',
        message: 'Failed to validate power interface of node n1: ipmi_address is missing',
      }),
    );
  });
});

describe('verbs for a running operation', () => {
  async function waiting(provisionState: 'clean wait' | 'clean hold') {
    await test.add({ provisionState });
    const made = { nodeUuid: 'n1', kind: 'clean', args: {}, steps: [sampleStep({ step: 'hold' })] } as const;
    return test.store.operations.create(made, test.clock.now);
  }

  it('abort is left to the runner', async () => {
    const { id } = await waiting('clean wait');
    await createProvisioning({ ...test.parts, wake }).provision('n1', { verb: 'abort' });
    expect(await test.store.operations.find(id)).toMatchObject({ abortRequested: true, state: 'running' });
    expect(await test.find('n1')).toMatchObject({ provisionState: 'clean wait' });
    expect(wake).toHaveBeenCalled();
  });

  it('abort of a failed service makes the node active again', async () => {
    const { node } = await ask({ verb: 'abort' }, { provisionState: 'service failed' });
    expect(node.provisionState).toBe('active');
  });

  it('unhold ends the step on hold', async () => {
    const { id } = await waiting('clean hold');
    await createProvisioning({ ...test.parts, wake }).provision('n1', { verb: 'unhold' });
    expect((await test.store.operations.find(id))?.steps[0]?.memo).toEqual({ released: true });
    expect((await test.find('n1')).provisionState).toBe('clean wait');
  });
});
