/**
 * A node, a step and an operation as the engine reads them from the store, for tests of pure functions.
 */
import { INTERFACE_TYPES, type Node } from '@ingot/conductor/domain/node.ts';
import type { Operation } from '@ingot/conductor/domain/operations.ts';
import { targetOf } from '@ingot/conductor/domain/states.ts';
import type { StepRecord } from '@ingot/conductor/domain/steps.ts';

export const NOW = new Date('2031-02-03T04:05:06.000Z');
export const after = (ms: number): Date => new Date(NOW.getTime() + ms);

const INTERFACES = Object.fromEntries(INTERFACE_TYPES.map((type) => [type, 'fake'])) as Node['interfaces'];

/** A node in `manageable` with default values. */
export function sampleNode(fields: Partial<Node> = {}): Node {
  const { provisionState = 'manageable' } = fields;
  return {
    id: 1,
    uuid: 'n1',
    name: null,
    driver: 'fake-hardware',
    driverInfo: {},
    instanceInfo: {},
    instanceUuid: null,
    chassisUuid: null,
    allocationUuid: null,
    properties: {},
    extra: {},
    interfaces: INTERFACES,
    resourceClass: null,
    conductorGroup: '',
    owner: null,
    lessee: null,
    description: null,
    shard: null,
    parentNode: null,
    disablePowerOff: false,
    instanceName: null,
    health: null,
    networkData: {},
    traits: [],
    automatedClean: null,
    protected: false,
    protectedReason: null,
    retired: false,
    retiredReason: null,
    consoleEnabled: false,
    raidConfig: {},
    targetRaidConfig: {},
    bootMode: null,
    secureBoot: null,
    provisionState,
    targetProvisionState: targetOf(provisionState),
    provisionUpdatedAt: null,
    powerState: null,
    targetPowerState: null,
    lastError: null,
    maintenance: false,
    maintenanceReason: null,
    fault: null,
    inspectionStartedAt: null,
    inspectionFinishedAt: null,
    bootTarget: null,
    agent: null,
    holder: null,
    currentStep: null,
    driverInternalInfo: {},
    createdAt: NOW,
    updatedAt: null,
    ...fields,
  };
}

/** A step that has not begun. */
export function sampleStep(fields: Partial<StepRecord> = {}): StepRecord {
  return {
    interface: 'deploy',
    step: 'work',
    args: {},
    priority: 50,
    where: 'conductor',
    abortable: false,
    index: 0,
    state: 'pending',
    startedAt: null,
    finishedAt: null,
    progress: null,
    memo: {},
    ...fields,
  };
}

/** A deploy that has just begun. Its steps are numbered in their order. */
export function sampleOperation(fields: Partial<Operation> = {}): Operation {
  const { steps = [sampleStep()] } = fields;
  return {
    id: 1,
    nodeUuid: 'n1',
    kind: 'deploy',
    args: {},
    state: 'running',
    cursor: 0,
    waitingFor: null,
    deadline: null,
    wakeAt: null,
    abortRequested: false,
    error: null,
    startedAt: NOW,
    finishedAt: null,
    ...fields,
    steps: steps.map((step, index) => ({ ...step, index })),
  };
}
