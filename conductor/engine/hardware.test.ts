import { describe, expect, it } from 'vitest';
import { sampleNode } from '../../test/fakes/engine-samples.ts';
import type { DriverInterface, HardwareType, StepImplementation } from '../domain/drivers.ts';
import { INTERFACE_TYPES, type InterfaceType } from '../domain/node.ts';
import { createHardwareRegistry, findStep, stepsOffered } from './hardware.ts';

const step = (
  operation: StepImplementation['operation'],
  name: string,
  priority = 50,
): StepImplementation => ({
  operation,
  step: name,
  priority,
  abortable: true,
  onRestart: 'resume',
  advance: async () => ({ kind: 'done' }),
});
const implementation = (name: string, steps: StepImplementation[] = []): DriverInterface => ({
  name,
  properties: {},
  validate: () => undefined,
  steps,
});
const type = (name: string, offers: Partial<Record<InterfaceType, DriverInterface[]>>): HardwareType => ({
  name,
  interfaces: Object.fromEntries(
    INTERFACE_TYPES.map((one) => [one, offers[one] ?? [implementation('noop')]]),
  ) as unknown as HardwareType['interfaces'],
});

const raid = implementation('fancy', [step('clean', 'create'), step('deploy', 'apply', 0)]);
const registry = createHardwareRegistry([
  type('ipmi', {
    raid: [implementation('no-raid'), raid],
    deploy: [implementation('direct', [step('clean', 'erase')])],
  }),
  type('manual', {}),
]);
const nodeWith = (names: Partial<Record<InterfaceType, string>>) =>
  sampleNode({ driver: 'ipmi', interfaces: registry.choose('ipmi', names) });

describe('the interfaces of a node', () => {
  it('are the requested ones, else those that the driver prefers', () => {
    expect(registry.choose('ipmi', {})).toMatchObject({ raid: 'no-raid', deploy: 'direct', power: 'noop' });
    expect(registry.choose('ipmi', { raid: 'fancy' })).toMatchObject({ raid: 'fancy' });
    expect(registry.of(nodeWith({ raid: 'fancy' })).all.raid).toBe(raid);
  });

  it('must exist: the error lists the available ones', () => {
    expect(() => registry.choose('redfish', {})).toThrow('Field "driver" must be one of: ipmi, manual.');
    expect(() => registry.choose('ipmi', { raid: 'none' })).toThrow(
      'Could not find the following interface in the "raid" interfaces of driver "ipmi": none. Field "raid_interface" must be one of: no-raid, fancy.',
    );
  });
});

describe('steps', () => {
  const hardware = registry.of(nodeWith({ raid: 'fancy' }));

  it('of an operation are those of the chosen interfaces and of the conductor', () => {
    const names = (kind: 'clean' | 'deploy' | 'rescue') =>
      stepsOffered(hardware, kind).map((one) => `${one.interface}.${one.step} ${one.priority}`);
    expect(names('clean').slice(0, 2)).toEqual(['deploy.erase 50', 'raid.create 50']);
    expect(names('deploy')[0]).toBe('raid.apply 0');
    expect(names('clean')).toContain('deploy.hold 0');
    expect(names('rescue')).toEqual([]);
    expect(stepsOffered(registry.of(nodeWith({})), 'clean').map(({ step: name }) => name)).not.toContain(
      'create',
    );
  });

  it('are found by operation, interface and name', () => {
    const on = (name: string, of: InterfaceType) =>
      findStep(hardware, 'clean', { interface: of, step: name })?.step;
    expect(on('create', 'raid')).toBe('create');
    expect([on('create', 'deploy'), on('apply', 'raid'), on('unknown', 'raid')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(on('power_on', 'deploy')).toBe('power_on');
  });
});
