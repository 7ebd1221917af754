/**
 * The behaviour of fake hardware: how long each interface takes, what fails and what waits.
 *
 * Delays come from the conductor's settings, failures and waits from driver_info of the node: `fake_fail: ["power",
 * "deploy.deploy"]` fails a whole interface or one of its actions. `fake_wait: ["clean.x"]` or `{"deploy.deploy":
 * 30}` takes a step through the wait state like a step of a ramdisk, for the interface's delay or for that many
 * seconds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type DelayRange, drawDelay, MAX_DELAY_SECONDS, NO_DELAY } from '../../domain/delay-range.ts';
import type { DriverInterface, StepContext, StepImplementation } from '../../domain/drivers.ts';
import { IngotError } from '../../domain/errors.ts';
import { isJsonObject, type Json } from '../../domain/json.ts';
import { INTERFACE_TYPES, type InterfaceType, type Node } from '../../domain/node.ts';
import type { NodeContext } from '../../domain/node-context.ts';
import type { StepOutcome } from '../../domain/step-outcome.ts';

export interface FakeSettings {
  readonly delays: Partial<Record<InterfaceType, DelayRange>>;
  /** Like Math.random. */
  readonly random: () => number;
}

/** A step of a fake interface. */
export interface FakeStep {
  readonly operation: StepImplementation['operation'];
  readonly step: string;
  readonly priority: number;
  readonly argsInfo?: NonNullable<StepImplementation['argsInfo']>;
  /** The change of the node after the delay. Without an outcome the step is done. */
  readonly effect?: (context: StepContext) => Promise<void> | Promise<StepOutcome>;
}

export interface FakeBehaviour {
  /** Name, properties and validate, which every fake interface has. */
  readonly always: Pick<DriverInterface, 'name' | 'properties' | 'validate'>;
  /** Waits for the interface's delay, then throws if this action is to fail. */
  act(context: Pick<NodeContext, 'node' | 'signal'>, type: InterfaceType, action: string): Promise<void>;
  /** Only throws if this action is to fail. */
  refuse(node: Node, type: InterfaceType, action: string): void;
  steps(type: InterfaceType, steps: readonly FakeStep[]): StepImplementation[];
}

const PROPERTIES = {
  fake_fail:
    'Actions of fake hardware that fail: a list of interface types ("power") or their actions ("deploy.deploy"). Optional.',
  fake_health: 'What fake hardware says of its health, such as "OK" or "CRITICAL". Optional.',
  fake_wait:
    'Steps of fake hardware that go through the wait state: a list of "interface.step", or an object of them with seconds. Optional.',
} as const;

/** A wait of fake hardware always ends by itself, but every wait must have a deadline. */
const WAIT_GRACE_MS = 60_000;

export function createFakeBehaviour(settings: FakeSettings): FakeBehaviour {
  const drawMs = (type: InterfaceType): number =>
    drawDelay(settings.delays[type] ?? NO_DELAY, settings.random);

  function refuse(node: Node, type: InterfaceType, action: string): void {
    const named = failing(node).find((entry) => entry === type || entry === `${type}.${action}`);
    if (named === undefined) return;
    throw new IngotError(
      'bmcFailure',
      `fake hardware fails ${type}.${action} because driver_info.fake_fail has "${named}"; take it out and try again`,
    );
  }

  async function act(
    { node, signal }: Pick<NodeContext, 'node' | 'signal'>,
    type: InterfaceType,
    action: string,
  ): Promise<void> {
    const ms = drawMs(type);
    if (ms > 0) await pause(ms, signal);
    refuse(node, type, action);
  }

  /** The time until which the step waits, drawn once; undefined if it does not go through the wait state. */
  async function waitUntil(context: StepContext, type: InterfaceType): Promise<Date | undefined> {
    const seconds = waiting(context.node).get(`${type}.${context.step.step}`);
    if (seconds === undefined) return undefined;
    const known = context.step.memo['waitUntil'];
    if (typeof known === 'string') return new Date(known);
    const until = new Date(context.now().getTime() + (seconds === null ? drawMs(type) : seconds * 1000));
    await context.remember({ waitUntil: until.toISOString() });
    return until;
  }

  function implementation(type: InterfaceType, { effect, ...spec }: FakeStep): StepImplementation {
    return {
      ...spec,
      abortable: true,
      onRestart: 'resume',
      async advance(context) {
        const begun = context.step.memo['waitUntil'] !== undefined;
        const until = await waitUntil(context, type);
        if (until === undefined) {
          await act(context, type, spec.step);
        } else if (!begun || context.now() < until) {
          return {
            kind: 'wait',
            waitingFor: { kind: 'hardware', text: `fake hardware to end ${type}.${spec.step}` },
            wakeAt: until,
            deadline: new Date(until.getTime() + WAIT_GRACE_MS),
            overdue: 'fake hardware was not looked at in time',
          };
        } else {
          refuse(context.node, type, spec.step);
        }
        return (await effect?.(context)) ?? { kind: 'done' };
      },
    };
  }

  return {
    always: { name: 'fake', properties: PROPERTIES, validate },
    act,
    refuse,
    steps: (type, steps) => steps.map((step) => implementation(type, step)),
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    // The reason of the abort: an overdue lock or a shutdown.
    signal.throwIfAborted();
    throw error;
  }
}

function validate(node: Node): void {
  failing(node);
  waiting(node);
}

function failing(node: Node): readonly string[] {
  const named = node.driverInfo['fake_fail'];
  if (named === undefined || named === null) return [];
  if (!Array.isArray(named)) throw wrong('fake_fail', 'a list');
  return named.map((entry: Json) => action('fake_fail', entry));
}

/** Step -> seconds; null means the interface's delay. */
function waiting(node: Node): ReadonlyMap<string, number | null> {
  const named = node.driverInfo['fake_wait'];
  if (named === undefined || named === null) return new Map();
  if (Array.isArray(named)) return new Map(named.map((entry: Json) => [action('fake_wait', entry), null]));
  if (!isJsonObject(named)) throw wrong('fake_wait', 'a list, or an object of seconds');
  return new Map(
    Object.entries(named).map(([entry, seconds]) => {
      if (typeof seconds !== 'number' || seconds < 0 || seconds > MAX_DELAY_SECONDS) {
        throw wrong(`fake_wait["${entry}"]`, `seconds from 0 to ${MAX_DELAY_SECONDS}`);
      }
      return [action('fake_wait', entry), seconds];
    }),
  );
}

function action(field: string, entry: Json): string {
  const type = typeof entry === 'string' ? entry.split('.', 1)[0] : undefined;
  if (typeof entry === 'string' && (INTERFACE_TYPES as readonly unknown[]).includes(type)) return entry;
  throw wrong(field, 'made of "interface" or "interface.step", such as "power" or "deploy.deploy"');
}

function wrong(field: string, what: string): IngotError {
  return new IngotError('invalidParameter', `driver_info.${field} must be ${what}.`);
}
