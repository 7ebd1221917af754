/**
 * The whole life of nodes on fake hardware: many nodes at once through the usual states, and a few through random
 * ones. Each move that is written must be in the state table.
 */

import { inspect } from 'node:util';
import { IngotError } from '@ingot/conductor/domain/errors.ts';
import type { JsonObject } from '@ingot/conductor/domain/json.ts';
import { kindOf, type ProvisionState, targetOf } from '@ingot/conductor/domain/states.ts';
import { TRANSITIONS } from '@ingot/conductor/domain/transitions.ts';
import { VERBS, type Verb, verbsFrom } from '@ingot/conductor/domain/verbs.ts';
import type { ProvisionRequest } from '@ingot/conductor/engine/engine.ts';
import { openStore } from '@ingot/conductor/store/sqlite/store.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { quietLogger } from './fakes/engine-deps.ts';
import { type Move, observeStates } from './fakes/observed-store.ts';
import { startTestEngine, type TestEngine } from './fakes/test-engine.ts';
import { fc, runs, SEED } from './random-cases.ts';

const LEGAL = new Set(TRANSITIONS.map(([from, , to]) => `${from} -> ${to}`));
const illegal = (moves: readonly Move[]) =>
  moves.map(({ from, to }) => `${from} -> ${to}`).filter((move) => !LEGAL.has(move));

/** Manual cleaning is the one exception to the target of a state. */
const wrongTargets = (moves: readonly Move[]) =>
  moves.filter(
    ({ to, target }) =>
      target !== targetOf(to) && !(target === 'manageable' && /^clean/.test(to) && kindOf(to) !== 'stable'),
  );

describe('a hundred nodes at once', () => {
  const NODES = 100;
  const cleanSteps = [{ interface: 'raid', step: 'delete_configuration' }];
  const way: [ProvisionRequest, ProvisionState][] = [
    [{ verb: 'manage' }, 'manageable'],
    [{ verb: 'inspect' }, 'manageable'],
    [{ verb: 'clean', cleanSteps }, 'manageable'],
    [{ verb: 'provide' }, 'available'],
    [{ verb: 'active' }, 'active'],
    [{ verb: 'rescue', rescuePassword: 'letmein' }, 'rescue'],
    [{ verb: 'unrescue' }, 'active'],
    [{ verb: 'rebuild' }, 'active'],
    [{ verb: 'deleted' }, 'available'],
  ];
  /** Some steps go through the wait state, as a ramdisk's would. */
  const driverInfo = {
    fake_wait: ['inspect.inspect_hardware', 'deploy.erase_devices', 'deploy.deploy', 'rescue.rescue'],
  };

  it('are enrolled, deployed and deleted', { timeout: 60_000 }, async () => {
    const inner = await openStore({ path: ':memory:' });
    onTestFinished(() => inner.close());
    const { store, moves } = observeStates(inner);
    await using test = await startTestEngine({ store });

    async function live(): Promise<void> {
      const uuid = await test.enroll(driverInfo);
      for (const [request, state] of way) {
        await test.engine.provision(uuid, request);
        const node = await test.rest(uuid, 30_000);
        expect(node, `after ${request.verb}`).toMatchObject({ provisionState: state, lastError: null });
      }
      await test.engine.deleteNode(uuid);
      expect(await store.nodes.find(uuid)).toBeUndefined();
    }
    await Promise.all(Array.from({ length: NODES }, live));

    expect(illegal(moves)).toEqual([]);
    expect(wrongTargets(moves)).toEqual([]);
    const seen = new Set(moves.map(({ to }) => to));
    expect([...seen].sort()).toEqual(
      [
        'active',
        'available',
        'clean wait',
        'cleaning',
        'deleting',
        'deploying',
        'inspect wait',
        'inspecting',
        'manageable',
        'rescue',
        'rescue wait',
        'rescuing',
        'unrescuing',
        'verifying',
        'wait call-back',
      ].sort(),
    );
    expect(await store.operations.unfinished()).toEqual([]);
  });
});

describe('random verbs', () => {
  const NODES = 3;
  const SETTLE_MS = 10_000;

  const step = (name: string): JsonObject =>
    name.includes('.')
      ? { interface: name.split('.')[0]!, step: name.split('.')[1]!, priority: 50 }
      : { step: name, priority: 50, ...(name === 'wait' ? { args: { seconds: 0.003 } } : {}) };
  const steps = fc
    .array(
      fc.constantFrom(
        'bios.factory_reset',
        'vendor.log_passthrough',
        'hold',
        'wait',
        'reboot',
        'bios.nonsense',
      ),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    .map((names) => names.map(step));

  /** The request body that a verb needs. */
  const requestFor = (verb: Verb, named: JsonObject[], disableRamdisk: boolean): ProvisionRequest => ({
    verb,
    ...(verb === 'rescue' ? { rescuePassword: 'letmein' } : {}),
    ...(verb === 'clean' ? { cleanSteps: named, disableRamdisk } : {}),
    ...(verb === 'service' ? { serviceSteps: named } : {}),
    ...(verb === 'active' || verb === 'rebuild' ? { deploySteps: named } : {}),
  });

  const faults = fc.record({
    fake_fail: fc.constantFrom<string[]>(
      [],
      ['power'],
      ['deploy', 'boot'],
      ['deploy.erase_devices', 'bios'],
      ['rescue', 'inspect'],
    ),
    fake_wait: fc.constantFrom<JsonObject>(
      {},
      { 'deploy.deploy': 0.004, 'rescue.rescue': 0.004, 'inspect.inspect_hardware': 0 },
      { 'deploy.erase_devices': 0.004, 'bios.factory_reset': 0.01, 'deploy.tear_down': 0.002 },
    ),
  });

  type Act =
    /** `pick` is an index into the verbs that are allowed now, or into all verbs. */
    | {
        readonly do: 'provision';
        readonly pick: number;
        readonly from: 'legal' | 'all';
        readonly named: JsonObject[];
        readonly disableRamdisk: boolean;
        /** Index into all verbs: what another caller requests at the same time. */
        readonly rival: number | null;
      }
    | { readonly do: 'driverInfo'; readonly info: JsonObject }
    | { readonly do: 'flags'; readonly flags: { readonly retired?: boolean; readonly protected?: boolean } }
    | { readonly do: 'maintenance'; readonly on: boolean }
    | { readonly do: 'power'; readonly target: 'power on' | 'power off' | 'rebooting' }
    | { readonly do: 'wake' | 'settle' | 'pause' | 'restart' };
  const act: fc.Arbitrary<Act> = fc.oneof(
    {
      weight: 14,
      arbitrary: fc.record({
        do: fc.constant('provision' as const),
        pick: fc.nat({ max: 59 }),
        from: fc.constantFrom('legal' as const, 'legal' as const, 'legal' as const, 'all' as const),
        named: steps,
        disableRamdisk: fc.boolean(),
        rival: fc.option(fc.nat({ max: 59 }), { freq: 3 }),
      }),
    },
    { weight: 2, arbitrary: faults.map((info) => ({ do: 'driverInfo', info }) as const) },
    {
      weight: 1,
      arbitrary: fc
        .oneof(
          fc.boolean().map((retired) => ({ retired })),
          fc.boolean().map((on) => ({ protected: on })),
        )
        .map((flags) => ({ do: 'flags', flags }) as const),
    },
    { weight: 2, arbitrary: fc.boolean().map((on) => ({ do: 'maintenance', on }) as const) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('power on' as const, 'power off' as const, 'rebooting' as const)
        .map((target) => ({ do: 'power', target }) as const),
    },
    { weight: 8, arbitrary: fc.constant({ do: 'settle' } as const) },
    { weight: 2, arbitrary: fc.constantFrom({ do: 'wake' } as const, { do: 'pause' } as const) },
    { weight: 1, arbitrary: fc.constant({ do: 'restart' } as const) },
  );
  /** First states of a node: random verbs alone rarely reach the later states. */
  const START = ['enroll', 'manageable', 'available', 'active', 'rescue', 'error', 'adopt failed'] as const;
  const run = fc.record({
    starts: fc.array(fc.constantFrom(...START), { minLength: NODES, maxLength: NODES }),
    acts: fc.array(fc.tuple(fc.nat({ max: NODES - 1 }), act), { minLength: 10, maxLength: 60 }),
  });

  /** Ignores errors that an operator may see; any other exception is a bug. */
  async function asked(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof IngotError) || error.status >= 500) throw error;
      if (error.code === 'nodeLocked') throw error;
    }
  }

  async function perform(test: TestEngine, uuid: string, one: Act): Promise<unknown> {
    const { engine } = test;
    switch (one.do) {
      case 'provision': {
        const legal = verbsFrom((await test.find(uuid)).provisionState);
        const verbs = one.from === 'legal' && legal.length > 0 ? legal : (Object.keys(VERBS) as Verb[]);
        const ask = (among: readonly Verb[], pick: number) =>
          asked(
            engine.provision(uuid, requestFor(among[pick % among.length]!, one.named, one.disableRamdisk)),
          );
        const rivals = one.rival === null ? [] : [ask(Object.keys(VERBS) as Verb[], one.rival)];
        return Promise.all([ask(verbs, one.pick), ...rivals]);
      }
      case 'driverInfo':
        return asked(engine.updateNode(uuid, 'test', () => ({ driverInfo: one.info })));
      case 'flags':
        return asked(engine.updateNode(uuid, 'test', () => one.flags));
      case 'maintenance':
        return asked(engine.setMaintenance(uuid, { on: one.on }));
      case 'power':
        return asked(engine.power(uuid, one.target));
      case 'settle':
        return test.rest(uuid, SETTLE_MS);
      case 'wake':
        return engine.wake(uuid);
      default:
        return new Promise((resolve) => setImmediate(resolve));
    }
  }

  const faultsLogged: string[] = [];
  const logger = {
    ...quietLogger,
    error: (fields: object, message: string) => void faultsLogged.push(`${message}: ${inspect(fields)}`),
  };

  async function live({ starts, acts }: { starts: readonly ProvisionState[]; acts: [number, Act][] }) {
    faultsLogged.length = 0;
    const inner = await openStore({ path: ':memory:' });
    const { store, moves } = observeStates(inner);
    let test = await startTestEngine({ store, logger });
    try {
      const uuids: string[] = [];
      for (const provisionState of starts) {
        const uuid = await test.enroll();
        const started = { provisionState, targetProvisionState: targetOf(provisionState) };
        await store.nodes.update(uuid, started, new Date());
        uuids.push(uuid);
      }
      const begun = moves.length;
      for (const [index, one] of acts) {
        if (one.do === 'restart') {
          await test[Symbol.asyncDispose]();
          test = await startTestEngine({ store, logger });
        } else {
          await perform(test, uuids[index]!, one);
        }
      }
      for (const uuid of uuids) {
        const node = await test.rest(uuid, SETTLE_MS);
        expect(kindOf(node.provisionState)).not.toMatch(/busy|wait/);
        expect(node).toMatchObject({ holder: null, targetPowerState: null });
        const working = (await store.operations.current(uuid)) !== undefined;
        expect(working, `${node.provisionState} with an operation`).toBe(
          kindOf(node.provisionState) === 'hold',
        );
      }
      expect(illegal(moves.slice(begun))).toEqual([]);
      expect(wrongTargets(moves.slice(begun))).toEqual([]);
      expect(faultsLogged.join('\n')).toBe('');
    } finally {
      await test[Symbol.asyncDispose]();
      await inner.close();
    }
  }

  const numRuns = runs(40);
  it(`never cause an illegal move, an unexpected error or a stuck node (TEST_SEED=${SEED})`, {
    timeout: 120_000,
  }, async () => {
    await fc.assert(fc.asyncProperty(run, live), { numRuns, interruptAfterTimeLimit: 100_000 });
  });
});
