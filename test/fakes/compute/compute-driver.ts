/**
 * Machines that exist only in memory, like those of Nova's fake driver. The test decides how long verbs take and
 * which of them fail.
 */

import { POWER_STATES, type PowerStateNumber, type Server } from '@ingot/conductor/domain/compute.ts';
import { IngotError } from '@ingot/conductor/domain/errors.ts';
import type { HostState } from '@ingot/conductor/scheduler/host-state.ts';
import type { ComputeDriver } from '@ingot/conductor/servers/driver.ts';
import { hostState } from '../scheduler.ts';

export type DriverVerb =
  | 'claim'
  | 'spawn'
  | 'destroy'
  | 'reboot'
  | 'powerOff'
  | 'powerOn'
  | 'rebuild'
  | 'rescue'
  | 'unrescue'
  | 'injectNmi';

export interface FakeComputeDriver extends ComputeDriver {
  /** Verb -> error text with which it fails on this node, or undefined if it succeeds. Claims fail without a text. */
  fail: (verb: DriverVerb, nodeUuid: string) => string | undefined;
  /** Resolves when a verb may continue. */
  wait: (verb: DriverVerb, server: Server) => Promise<void>;
  /** Server UUID -> node UUID. */
  readonly placed: Map<string, string>;
  readonly power: Map<string, PowerStateNumber>;
  /** All calls of verbs: `spawn node-1`. */
  readonly calls: string[];
}

/** @param hosts the machines, free or in use */
export function fakeComputeDriver(hosts: readonly Partial<HostState>[]): FakeComputeDriver {
  const machines = hosts.map((changes) => hostState(changes));
  const placed = new Map<string, string>();
  const power = new Map<string, PowerStateNumber>();
  const calls: string[] = [];
  const holder = (nodeUuid: string) => [...placed].find(([, node]) => node === nodeUuid)?.[0];

  async function act(verb: DriverVerb, server: Server, signal?: AbortSignal): Promise<void> {
    const nodeUuid = placed.get(server.uuid);
    calls.push(`${verb} ${nodeUuid}`);
    if (nodeUuid === undefined) throw new IngotError('notFound', `Instance ${server.uuid} has no node.`);
    await Promise.race([fake.wait(verb, server), ...(signal === undefined ? [] : [abortOf(signal)])]);
    signal?.throwIfAborted();
    const message = fake.fail(verb, nodeUuid);
    if (message !== undefined) throw new IngotError('bmcFailure', message);
  }
  const powering =
    (verb: DriverVerb, state: PowerStateNumber) => async (server: Server, signal: AbortSignal) => {
      await act(verb, server, signal);
      power.set(server.uuid, state);
    };
  const running = (verb: DriverVerb) => powering(verb, POWER_STATES.running);

  const fake: FakeComputeDriver = {
    name: 'fake',
    fail: () => undefined,
    wait: async () => undefined,
    placed,
    power,
    calls,
    init: async () => undefined,
    resources: async () =>
      machines.map((host) => {
        const instance = holder(host.nodename);
        const neighbours = machines.filter(({ domain }) => domain === host.domain);
        const instances = neighbours
          .map(({ nodename }) => holder(nodename))
          .filter((one) => one !== undefined);
        return {
          ...host,
          instances: new Set(instances),
          unusable: instance === undefined ? host.unusable : `in use by instance ${instance}`,
        };
      }),
    async claim({ uuid }, nodeUuid) {
      calls.push(`claim ${nodeUuid}`);
      if (fake.fail('claim', nodeUuid) !== undefined) return false;
      if ((holder(nodeUuid) ?? uuid) !== uuid) return false;
      placed.set(uuid, nodeUuid);
      return true;
    },
    nodeOf: async (serverUuid) => placed.get(serverUuid),
    spawn: (server, _, signal) => running('spawn')(server, signal),
    async destroy(server, signal) {
      if (!placed.has(server.uuid)) return;
      await act('destroy', server, signal);
      placed.delete(server.uuid);
    },
    reboot: (server, _, signal) => running('reboot')(server, signal),
    powerOff: powering('powerOff', POWER_STATES.shutdown),
    powerOn: running('powerOn'),
    rebuild: (server, _, signal) => running('rebuild')(server, signal),
    rescue: (server, _, signal) => running('rescue')(server, signal),
    unrescue: running('unrescue'),
    attachInterface: async () => undefined,
    detachInterface: async () => undefined,
    injectNmi: (server) => act('injectNmi', server),
    async console() {
      throw new IngotError('unsupported', 'fake machines have no console');
    },
    async consoleOutput() {
      throw new IngotError('unsupported', 'fake machines have no console');
    },
    info: async ({ uuid }) => ({ powerState: power.get(uuid) ?? POWER_STATES.none }),
  };
  return fake;
}

const abortOf = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
