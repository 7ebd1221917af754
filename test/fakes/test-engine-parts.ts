/**
 * The parts of an engine over a store in memory, for tests of one file: nothing runs by itself, the hardware records
 * its commands, and the clock stands still until the test moves it.
 */
import { createAgentLink } from '@ingot/conductor/agent-link/agent-link.ts';
import type {
  BootContext,
  BootInterface,
  DriverInterface,
  HardwareType,
  ManagementInterface,
  PowerInterface,
  StepImplementation,
} from '@ingot/conductor/domain/drivers.ts';
import {
  type BootTarget,
  INTERFACE_TYPES,
  type InterfaceType,
  type NewNode,
  type Node,
  type PowerState,
} from '@ingot/conductor/domain/node.ts';
import type { NodeContext } from '@ingot/conductor/domain/node-context.ts';
import type { Store } from '@ingot/conductor/domain/store/store.ts';
import { createHardwareRegistry } from '@ingot/conductor/engine/hardware.ts';
import { createNodeLocks } from '@ingot/conductor/engine/locks.ts';
import type { EngineParts } from '@ingot/conductor/engine/parts.ts';
import type { EngineSettings } from '@ingot/conductor/engine/settings.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import { fakeConfigDrives, fakeImages, quietLogger, testSettings } from './engine-deps.ts';
import { NOW } from './engine-samples.ts';

export interface TestEnginePartsOptions {
  readonly steps?: Partial<Record<InterfaceType, readonly StepImplementation[]>>;
  readonly power?: Partial<PowerInterface>;
  readonly management?: Partial<ManagementInterface>;
  readonly settings?: Partial<EngineSettings>;
  /** Wraps the store that all parts use. */
  readonly around?: (store: Store) => Store;
}

export interface TestEngineParts extends AsyncDisposable {
  readonly parts: EngineParts;
  readonly store: Store;
  /** `<node>: <target>`, in the order of the commands to BMCs. */
  readonly told: string[];
  /** The power state that the BMC of each node reports; default: `power off`. */
  readonly power: Map<string, PowerState>;
  readonly clock: { now: Date };
  add(fields?: Partial<NewNode>): Promise<Node>;
  find(uuid: string): Promise<Node>;
  contextOf(node: Node, signal?: AbortSignal): NodeContext;
}

const FAKE = { name: 'fake', properties: {}, validate: () => undefined };
const INTERFACES = Object.fromEntries(INTERFACE_TYPES.map((type) => [type, 'fake'])) as Node['interfaces'];

function hardwareType(
  options: TestEnginePartsOptions,
  test: Pick<TestEngineParts, 'told' | 'power'>,
): HardwareType {
  const power: PowerInterface = {
    ...FAKE,
    targets: ['power on', 'power off', 'rebooting'],
    getPowerState: async ({ node }) => test.power.get(node.uuid) ?? 'power off',
    setPowerState: async ({ node }, target) => {
      test.told.push(`${node.uuid}: ${target}`);
      test.power.set(node.uuid, target === 'power off' ? 'power off' : 'power on');
    },
    ...options.power,
  };
  const management: ManagementInterface = {
    ...FAKE,
    supportedBootDevices: async () => ['pxe', 'disk'],
    getBootDevice: async () => ({ device: 'pxe', persistent: false }),
    setBootDevice: async ({ node }, { device, persistent }) => {
      test.told.push(`${node.uuid}: ${device}${persistent ? ' from now on' : ' once'}`);
    },
    ...options.management,
  };
  const boots = (target: BootTarget) => async (context: BootContext) => {
    await context.updateNode({ bootTarget: target });
    return { kind: 'done' } as const;
  };
  const boot: BootInterface = {
    ...FAKE,
    prepareRamdisk: boots({ kind: 'ramdisk', kernelParams: [] }),
    prepareInstance: boots({ kind: 'disk' }),
    cleanUp: boots(null),
  };
  const own: Partial<Record<InterfaceType, DriverInterface>> = { power, management, boot };
  const implementations = INTERFACE_TYPES.map((type) => {
    const steps = options.steps?.[type];
    return [type, [{ ...(own[type] ?? FAKE), ...(steps === undefined ? {} : { steps }) }]] as const;
  });
  return {
    name: 'fake-hardware',
    interfaces: Object.fromEntries(implementations) as unknown as HardwareType['interfaces'],
  };
}

export async function startTestEngineParts(options: TestEnginePartsOptions = {}): Promise<TestEngineParts> {
  const opened = await openStore({ path: ':memory:' });
  const store = options.around?.(opened) ?? opened;
  const [told, power, clock] = [[] as string[], new Map<string, PowerState>(), { now: NOW }];
  const now = () => clock.now;
  const settings = { ...testSettings, ...options.settings };
  const hardwareTypes = [hardwareType(options, { told, power })];
  const parts: EngineParts = {
    store,
    hardwareTypes,
    hardware: createHardwareRegistry(hardwareTypes),
    locks: createNodeLocks({ nodes: store.nodes, owner: settings.host, now }),
    images: fakeImages,
    configDrives: fakeConfigDrives,
    agents: createAgentLink(() => {
      throw new Error('no agent here');
    }),
    services: { plainUrl: null, tlsUrl: null },
    settings,
    logger: quietLogger,
    now,
  };
  let added = 0;
  return {
    parts,
    store,
    told,
    power,
    clock,
    add(fields = {}) {
      added += 1;
      const made = { uuid: `n${added}`, driver: 'fake-hardware', interfaces: INTERFACES } as const;
      return opened.nodes.create({ ...made, provisionState: 'manageable', ...fields }, clock.now);
    },
    find: (uuid) => opened.nodes.get(uuid),
    contextOf: (node, signal = new AbortController().signal) => ({ node, ports: [], signal, now }),
    async [Symbol.asyncDispose]() {
      await parts.locks.close();
      await opened.close();
    },
  };
}
