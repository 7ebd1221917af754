import { describe, expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
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

  it('of several hardware managers has each step once, with its highest priority', () => {
    const entry = (priority: number) => ({ step: 'erase', priority, interface: 'deploy', abortable: true });
    const answer = { clean_steps: { A: [entry(5)], B: [entry(9)], C: [entry(7)] } };
    expect(decodeStepList('clean', answer)).toMatchObject({
      value: { steps: [{ priority: 9 }], version: {} },
    });
  });

  it('ignores invalid entries; the default interface is deploy', () => {
    const entries = [
      null,
      7,
      [],
      {},
      { step: 'x' },
      { step: 'x', priority: '1' },
      { step: 'y', priority: 1, interface: 2 },
    ];
    const answer = { deploy_steps: { A: [...entries, { step: 'good', priority: 1 }], B: 'none' } };
    expect(decodeStepList('deploy', answer)).toMatchObject({
      value: { steps: [{ step: 'good', interface: 'deploy', abortable: false }] },
    });
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
