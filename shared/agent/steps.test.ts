import { describe, expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import type { Json } from '../json.ts';
import {
  type AgentStepInfo,
  decodeStepExecution,
  decodeStepList,
  encodeStepExecution,
  encodeStepList,
  encodeStepResult,
  executeStepCommand,
  getStepsCommand,
  STEP_EXTENSIONS,
} from './steps.ts';

const ERASE: AgentStepInfo = {
  step: 'erase_devices',
  interface: 'deploy',
  priority: 10,
  abortable: true,
  rebootRequested: false,
};
const VERSION = { Manager: '1' };

describe('a list of steps', () => {
  it('has the keys of ironic-python-agent, in their order', () => {
    const argsInfo = { x: { description: 'An x.', required: true } };
    expect(
      JSON.stringify(
        encodeStepList('clean', 'Manager', { steps: [{ ...ERASE, argsInfo }], version: VERSION }),
      ),
    ).toBe(
      '{"clean_steps":{"Manager":[{"step":"erase_devices","priority":10,"interface":"deploy","reboot_requested":false,' +
        '"abortable":true,"argsinfo":{"x":{"description":"An x.","required":true}}}]},"hardware_manager_version":{"Manager":"1"}}',
    );
  });

  it.each(STEP_EXTENSIONS)('of %s is decoded to what was encoded', (extension) => {
    const list = {
      steps: [ERASE, { ...ERASE, step: 'other', abortable: false, rebootRequested: true }],
      version: VERSION,
    };
    expect(decodeStepList(extension, encodeStepList(extension, 'Manager', list))).toEqual({
      ok: true,
      value: list,
    });
  });

  const entry = { step: 'erase', priority: 5, interface: 'deploy', abortable: true };
  const decoded = (clean_steps: Json, version: Json = {}) =>
    decodeStepList('clean', { clean_steps, hardware_manager_version: version });

  it('of several hardware managers has the steps of all; the default interface is deploy', () => {
    const args = { argsinfo: { target: { description: 'What.', required: true } } };
    expect(decoded({ A: [entry], B: [], C: [{ step: 'x', priority: 0, ...args }] })).toMatchObject({
      value: {
        steps: [{ step: 'erase' }, { step: 'x', interface: 'deploy', abortable: false }],
        version: {},
      },
    });
  });

  it.each<[string, Json]>([
    ['of two hardware managers', { A: [entry], B: [{ ...entry, priority: 9 }] }],
    ['of two interfaces', { A: [entry, { ...entry, interface: 'raid' }] }],
  ])('with two steps of one name %s is refused', (_, lists) => {
    expect(decoded(lists)).toEqual({ ok: false, reason: 'has two steps with the name "erase"' });
  });

  it.each<[Json, RegExp]>([
    [{ A: 'none' }, /a step that is no object/],
    [{ A: [null] }, /a step that is no object/],
    [{ A: [{}] }, /a step without a name/],
    [{ A: [{ ...entry, step: 'x'.repeat(256) }] }, /a step without a name of 1 to 255 characters/],
    [{ A: [{ ...entry, step: 'x\u001b[2J' }] }, /a step without a name/],
    [{ A: [{ ...entry, interface: 2 }] }, /the step "erase" with an interface/],
    [{ A: [{ ...entry, priority: '1' }] }, /a priority/],
    [{ A: [{ ...entry, priority: -1 }] }, /a priority/],
    [{ A: [{ ...entry, priority: 1.5 }] }, /a priority/],
    [{ A: [{ ...entry, abortable: 'yes' }] }, /"abortable"/],
    [{ A: [{ ...entry, reboot_requested: 1 }] }, /"reboot_requested"/],
    [{ A: [{ ...entry, argsinfo: [] }] }, /"argsinfo"/],
    [{ A: [{ ...entry, argsinfo: { x: 'text' } }] }, /"argsinfo"/],
  ])('%j is refused', (lists, reason) => {
    expect(decoded(lists)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });

  it('may have 256 steps, and versions of 64 hardware managers', () => {
    const steps = (count: number) => Array.from({ length: count }, (_, n) => ({ ...entry, step: `s${n}` }));
    const versions = (count: number) => Object.fromEntries(steps(count).map(({ step }) => [step, '1']));
    expect(decoded({ A: steps(128), B: [] }, versions(64))).toHaveProperty('ok', true);
    expect(decoded({ A: steps(257) })).toEqual({
      ok: false,
      reason: 'has 257 steps; at most 256 are allowed',
    });
    for (const version of [
      versions(65),
      [],
      'x',
      { A: {} },
      { A: 'x'.repeat(256) },
      { ['x'.repeat(256)]: '1' },
    ])
      expect(decoded({ A: [] }, version)).toHaveProperty('ok', false);
  });

  it('is rejected without its key, and never throws', () => {
    expect(decodeStepList('clean', { deploy_steps: {} })).toEqual({
      ok: false,
      reason: 'has no "clean_steps"',
    });
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(decodeStepList('clean', value)).toHaveProperty('ok');
        expect(decodeStepList('clean', { clean_steps: { A: [value], B: value } })).toHaveProperty('ok');
        expect(decodeStepExecution('clean', { step: value as null })).toHaveProperty('ok');
      }),
    );
  });
});

describe('a step to run', () => {
  const execution = {
    interface: 'deploy',
    step: 'write_image',
    priority: 80,
    args: { image_info: {} },
    node: { uuid: 'n' },
    ports: [{ uuid: 'p' }],
    version: VERSION,
  };

  it('contains the node and the versions', () => {
    expect(JSON.stringify(encodeStepExecution('deploy', execution))).toBe(
      '{"step":{"interface":"deploy","step":"write_image","priority":80,"args":{"image_info":{}}},' +
        '"node":{"uuid":"n"},"ports":[{"uuid":"p"}],"deploy_version":{"Manager":"1"}}',
    );
  });

  it('is decoded to what was encoded', () => {
    expect(decodeStepExecution('deploy', encodeStepExecution('deploy', execution))).toEqual({
      ok: true,
      value: { step: 'write_image', args: { image_info: {} }, version: VERSION },
    });
    expect(decodeStepExecution('deploy', { step: { step: 'x', args: null } })).toEqual({
      ok: true,
      value: { step: 'x', args: {}, version: null },
    });
  });

  it.each([
    [{}, 'step must be an object'],
    [{ step: { step: '' } }, 'step.step must be the name of a step'],
    [{ step: { step: 'x', args: [] } }, 'step.args must be an object'],
  ])('is refused as %j', (params, reason) => {
    expect(decodeStepExecution('clean', params)).toEqual({ ok: false, reason });
  });

  it('is part of its result; the commands are named for the extension', () => {
    expect(encodeStepResult('clean', { step: 'x' }, null)).toEqual({
      clean_result: null,
      clean_step: { step: 'x' },
    });
    expect(getStepsCommand('service')).toBe('service.get_service_steps');
    expect(executeStepCommand('service')).toBe('service.execute_service_step');
  });
});
