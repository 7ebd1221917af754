import { describe, expect, it } from 'vitest';
import { after, NOW, sampleNode, sampleOperation, sampleStep } from '../../test/fakes/engine-samples.ts';
import { IngotError } from '../domain/errors.ts';
import type { Node } from '../domain/node.ts';
import { OPERATION_KINDS, OPERATIONS, type OperationKind } from '../domain/operations/table.ts';
import type { Operation } from '../domain/operations.ts';
import { describeFailure, failing, finishing, historyOf } from './operation-end.ts';

const of = (kind: OperationKind, fields: Partial<Operation> = {}) => sampleOperation({ kind, ...fields });
const working = (kind: OperationKind, fields: Partial<Node> = {}) =>
  sampleNode({ provisionState: OPERATIONS[kind].states.busy, ...fields });

describe('an operation that succeeds', () => {
  it.each([
    ['verify', 'manageable'],
    ['inspect', 'manageable'],
    ['clean', 'available'],
    ['deploy', 'active'],
    ['delete', 'cleaning'],
    ['adopt', 'active'],
    ['rescue', 'rescue'],
    ['unrescue', 'active'],
    ['service', 'active'],
  ] as const)('%s leaves the node %s', (kind, state) => {
    const { operation, node, entered } = finishing(of(kind), working(kind), NOW);
    expect(operation).toEqual({ state: 'done', finishedAt: NOW });
    expect(entered).toBe(state);
    expect(node).toMatchObject({ provisionState: state, currentStep: null, lastError: null });
  });

  it('manual cleaning, and cleaning of a retired node, end in manageable', () => {
    expect(finishing(of('clean', { args: { manual: true } }), working('clean'), NOW).entered).toBe(
      'manageable',
    );
    expect(finishing(of('clean'), working('clean', { retired: true }), NOW).entered).toBe('manageable');
    expect(finishing(of('service', { args: { manual: true } }), working('service'), NOW).entered).toBe(
      'active',
    );
  });

  it('inspection stores the time of its end, unless the ramdisk did before', () => {
    const started = { inspectionStartedAt: NOW };
    expect(finishing(of('inspect'), working('inspect', started), after(5)).node).toMatchObject({
      inspectionStartedAt: null,
      inspectionFinishedAt: after(5),
    });
    const told = working('inspect', { ...started, inspectionFinishedAt: after(3) });
    expect(finishing(of('inspect'), told, after(5)).node).toMatchObject({ inspectionFinishedAt: after(3) });
  });

  it('only deleting removes the name of the instance', () => {
    for (const kind of OPERATION_KINDS) {
      const { node } = finishing(of(kind), working(kind, { instanceName: 'web-1' }), NOW);
      expect(node, kind).toMatchObject(kind === 'delete' ? { instanceName: null } : {});
      if (kind !== 'delete') expect(node, kind).not.toHaveProperty('instanceName');
    }
  });
});

describe('an operation that fails', () => {
  const text = 'it did not work';
  const failed = (kind: OperationKind, fields: Partial<Operation> = {}, node = working(kind)) =>
    failing({ operation: of(kind, fields), node, step: undefined, text }, NOW);

  it.each(OPERATION_KINDS)('%s leaves the node in its failed state with the reason', (kind) => {
    const { operation, node } = failed(kind);
    expect(operation).toEqual({ state: 'failed', error: text, finishedAt: NOW });
    expect(node).toMatchObject({
      provisionState: OPERATIONS[kind].states.failed,
      currentStep: null,
      lastError: text,
    });
  });

  it('names the failed step', () => {
    const step = sampleStep({ index: 2 });
    const change = failing({ operation: of('deploy'), node: working('deploy'), step, text }, NOW);
    expect(change.step).toEqual({ index: 2, patch: { state: 'failed', finishedAt: NOW } });
  });

  it('is aborted when that was requested, also from a hold', () => {
    const held = sampleNode({ provisionState: 'clean hold' });
    const { operation, node } = failed('clean', { abortRequested: true }, held);
    expect(operation).toMatchObject({ state: 'aborted' });
    expect(node).toMatchObject({ provisionState: 'clean failed' });
  });

  it('a clean that has changed the machine puts the node into maintenance', () => {
    const fault = { maintenance: true, maintenanceReason: text, fault: 'clean failure' };
    const booted = sampleStep({ priority: 1_000, state: 'done' });
    const closing = sampleStep({ priority: -1, state: 'failed' });
    const begun = sampleStep({ state: 'running' });
    expect(failed('clean', { steps: [booted, begun] }).node).toMatchObject(fault);
    for (const fields of [
      { steps: [booted, sampleStep()] },
      { steps: [booted, closing] },
      { steps: [booted, begun], abortRequested: true },
    ]) {
      expect(failed('clean', fields).node).not.toHaveProperty('maintenance');
    }
    expect(failed('deploy', { steps: [begun] }).node).not.toHaveProperty('maintenance');
  });

  it('an inspection has no start time any more', () => {
    expect(failed('inspect').node).toMatchObject({ inspectionStartedAt: null });
    expect(failed('inspect').node).not.toHaveProperty('inspectionFinishedAt');
  });
});

describe('describeFailure', () => {
  const step = sampleStep({ interface: 'raid', step: 'create' });

  it.each([
    [step, new IngotError('timeout', 'too late'), 'deploy step raid.create failed: too late.'],
    [step, new IngotError('timeout', 'too late!'), 'deploy step raid.create failed: too late!'],
    [undefined, new IngotError('timeout', 'Why?'), 'deploy failed: Why?'],
    [
      step,
      new IngotError('agentFailure', 'no http://a:b@h/i?sig=c'),
      'deploy step raid.create failed: no http://******@h/i?******.',
    ],
    [
      step,
      new TypeError('x is not a function'),
      'deploy step raid.create failed: fault of the conductor: x is not a function.',
    ],
    [undefined, 'thrown', 'deploy failed: fault of the conductor: thrown.'],
  ])('says what failed and why', (at, error, text) => {
    expect(describeFailure(of('deploy'), at, error)).toBe(text);
  });

  it('keeps the error that was stored first', () => {
    expect(describeFailure(of('deploy', { error: 'as stored' }), step, new Error('later'))).toBe('as stored');
  });
});

describe('historyOf', () => {
  it('has the previous state, its duration, and the caller', () => {
    const node = working('deploy', { provisionUpdatedAt: NOW });
    const args = { requestedBy: { user: 'ann', project: 'p1' } };
    expect(historyOf(of('deploy', { args }), node, after(2_999))).toEqual({
      nodeUuid: 'n1',
      createdAt: after(2_999),
      eventType: 'deploying',
      user: 'ann',
      project: 'p1',
      state: 'deploying',
      targetProvisionState: 'active',
      durationSeconds: 2,
    });
    expect(historyOf(of('deploy'), working('deploy'), NOW)).toMatchObject({
      user: null,
      project: null,
      durationSeconds: null,
    });
  });
});
