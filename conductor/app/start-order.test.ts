import { expect, it } from 'vitest';
import { runningApp } from './parts.ts';
import { type ConductorParts, inStartOrder } from './start-order.ts';

type Name = keyof ConductorParts;
const NAMES = [
  ...['dataDirLock', 'store', 'drivers', 'agents', 'imageCache', 'provisioning', 'imageLibrary'],
  ...['engine', 'authentication', 'compute', 'listener'],
] as readonly Name[];

/** Starts and stops all parts. Returns their names in the order of the starts and of the stops. */
async function orderOf(left: Partial<ConductorParts> = {}): Promise<{ started: Name[]; stopped: Name[] }> {
  const [started, stopped]: [Name[], Name[]] = [[], []];
  const recorded = NAMES.map((name) => {
    const part = { start: async () => started.push(name), stop: async () => stopped.push(name) };
    return [name, part] as const;
  });
  const app = runningApp(
    inStartOrder({ ...(Object.fromEntries(recorded) as unknown as ConductorParts), ...left }),
  );
  await app.start();
  await app.stop();
  return { started, stopped };
}

it('every part is started and stopped once', async () => {
  const { started, stopped } = await orderOf();
  expect(started.toSorted()).toEqual(NAMES.toSorted());
  expect(stopped).toEqual(started.toReversed());
});

it('a conductor without the compute façade has all other parts', async () => {
  expect((await orderOf({ compute: null })).started.toSorted()).toEqual(
    NAMES.filter((name) => name !== 'compute').toSorted(),
  );
});

it.each<[first: Name, then: Name, why: string]>([
  ['listener', 'engine', 'no new request reaches an engine that stops'],
  ['compute', 'engine', 'the façade asks the engine'],
  ['engine', 'provisioning', 'machines are served until the engine no longer waits for them'],
  ['engine', 'agents', 'steps send commands to agents'],
  ['engine', 'drivers', 'steps send commands to BMCs'],
  ['engine', 'imageCache', 'steps wait for images'],
  ['provisioning', 'imageCache', 'agents download from the cache'],
  ['provisioning', 'store', 'leases and sightings are stored'],
  ['drivers', 'store', 'everything else is gone when the store closes'],
  ['store', 'dataDirLock', 'the next conductor finds a closed database'],
])('%s stops before %s: %s', async (first, then) => {
  const { stopped } = await orderOf();
  expect(stopped).toContain(first);
  expect(stopped.indexOf(first)).toBeLessThan(stopped.indexOf(then));
});
