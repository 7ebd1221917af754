/**
 * An engine with fake hardware over a store, and functions that move nodes through their life cycle.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentCommands } from '@ingot/conductor/agent-link/agent-commands.ts';
import { createAgentLink } from '@ingot/conductor/agent-link/agent-link.ts';
import type { HardwareType } from '@ingot/conductor/domain/drivers.ts';
import type { JsonObject } from '@ingot/conductor/domain/json.ts';
import type { InterfaceType, Node } from '@ingot/conductor/domain/node.ts';
import { kindOf, type ProvisionState, type StateKind } from '@ingot/conductor/domain/states.ts';
import type { Store } from '@ingot/conductor/domain/store/store.ts';
import type { FakeSettings } from '@ingot/conductor/drivers/fake/behaviour.ts';
import { createFakeInterfaces } from '@ingot/conductor/drivers/fake/interfaces.ts';
import { createHardwareTypes } from '@ingot/conductor/drivers/hardware-types.ts';
import { createEngine } from '@ingot/conductor/engine/create-engine.ts';
import type { Logger } from '@ingot/conductor/engine/deps.ts';
import type { Engine, ProvisionRequest } from '@ingot/conductor/engine/engine.ts';
import type { EngineSettings } from '@ingot/conductor/engine/settings.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import { fakeConfigDrives, fakeImages, quietLogger, testSettings } from './engine-deps.ts';

export interface TestEngineOptions {
  /** A file for the database; default: in memory. */
  readonly path?: string;
  /** A store to use instead of a new one; the caller closes it. */
  readonly store?: Store;
  readonly delays?: FakeSettings['delays'];
  readonly settings?: Partial<EngineSettings>;
  readonly logger?: Logger;
  readonly agent?: AgentCommands;
}

export interface TestEngine extends AsyncDisposable {
  readonly engine: Engine;
  readonly store: Store;
  /** Creates a `fake-hardware` node in `enroll`. */
  enroll(driverInfo?: JsonObject, interfaces?: Partial<Record<InterfaceType, string>>): Promise<string>;
  find(uuid: string): Promise<Node>;
  /** Requests a verb and waits until the node is in `state` and not locked. */
  go(uuid: string, verb: ProvisionRequest['verb'] | ProvisionRequest, state: ProvisionState): Promise<Node>;
  /** Waits until the node is in `state` and not locked. */
  reach(uuid: string, state: ProvisionState): Promise<Node>;
  /** Waits until the node is not locked and waits for nothing but an operator. */
  rest(uuid: string, limitMs?: number): Promise<Node>;
}

const LIMIT_MS = 10_000;
/** Doubles the pause between two checks, up to the longest. */
const FIRST_LOOK_MS = 1;
const LONGEST_LOOK_MS = 32;
const WORKING: readonly StateKind[] = ['busy', 'wait'];

function fakeTypes(delays: FakeSettings['delays']): HardwareType[] {
  const fake = createFakeInterfaces({ delays, random: Math.random });
  const { power: ipmiPower, management: ipmiManagement, boot, deploy: direct, inspect } = fake;
  const named = <T extends object>(part: T, name: string) => ({ ...part, name });
  return createHardwareTypes({
    fake,
    ipmiPower,
    ipmiManagement,
    ipxe: named(boot, 'ipxe'),
    pxe: named(boot, 'pxe'),
    direct: named(direct, 'direct'),
    agentInspect: named(inspect, 'agent'),
  });
}

export async function startTestEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  const store = options.store ?? (await openStore({ path: options.path ?? ':memory:' }));
  const engine = createEngine({
    store,
    hardwareTypes: fakeTypes(options.delays ?? {}),
    images: fakeImages,
    configDrives: fakeConfigDrives,
    agents: createAgentLink(() => {
      if (options.agent) return options.agent;
      throw new Error('no agent here');
    }),
    services: { plainUrl: null, tlsUrl: null },
    settings: { ...testSettings, ...options.settings },
    logger: options.logger ?? quietLogger,
    now: () => new Date(),
  });
  await engine.start();

  async function find(uuid: string): Promise<Node> {
    const node = await store.nodes.find(uuid);
    if (node === undefined) throw new Error(`node ${uuid} is gone`);
    return node;
  }

  async function until(uuid: string, limitMs: number, what: string, good: (node: Node) => boolean) {
    const deadline = Date.now() + limitMs;
    for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(lookMs * 2, LONGEST_LOOK_MS)) {
      const node = await find(uuid);
      if (good(node)) return node;
      if (Date.now() > deadline) {
        throw new Error(
          `node ${uuid} is ${node.provisionState}, held for ${node.holder?.purpose ?? 'nothing'}, never ${what}; last_error: ${node.lastError}`,
        );
      }
      await sleep(lookMs);
    }
  }

  const reach = (uuid: string, state: ProvisionState) =>
    until(uuid, LIMIT_MS, state, (node) => node.provisionState === state && node.holder === null);

  return {
    engine,
    store,
    find,
    reach,
    async enroll(driverInfo = {}, interfaces = {}) {
      const node = await engine.createNode({
        driver: 'fake-hardware',
        interfaces,
        fields: { driverInfo },
      });
      return node.uuid;
    },
    async go(uuid, verb, state) {
      await engine.provision(uuid, typeof verb === 'string' ? { verb } : verb);
      return reach(uuid, state);
    },
    rest: (uuid, limitMs = LIMIT_MS) =>
      until(
        uuid,
        limitMs,
        'at rest',
        ({ holder, provisionState, targetPowerState }) =>
          holder === null && targetPowerState === null && !WORKING.includes(kindOf(provisionState)),
      ),
    async [Symbol.asyncDispose]() {
      await engine.stop();
      if (options.store === undefined) await store.close();
    },
  };
}
