/**
 * Makes a failed node safe: removes its boot target and powers it off, or restarts it when it must stay on. No step
 * runs here, so the memo of the boot interface is kept only in this process. After a crash, recovery finds the failed
 * operation and all of this begins again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BootContext, Hardware } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Node } from '../domain/node.ts';
import type { EngineParts } from './parts.ts';
import { changePower } from './power.ts';

const LIMIT_MS = 90_000;
const LOOK_MS = 1_000;

/** Returns what could not be done. */
export async function makeSafe(
  deps: EngineParts,
  hardware: Hardware,
  node: Node,
): Promise<string | undefined> {
  const work = bootContext(deps, hardware, node, AbortSignal.timeout(LIMIT_MS));
  const problems: string[] = [];
  const attempt = async (what: string, act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      problems.push(`${what} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const staysOn = node.disablePowerOff;
  await attempt('cleaning up the boot', () => cleanUp(hardware, work));
  await attempt(staysOn ? 'restarting the node' : 'powering the node off', () =>
    work.context.setPower(staysOn ? 'rebooting' : 'power off'),
  );
  return problems.length === 0 ? undefined : problems.join('; ');
}

interface BootCleaning {
  readonly context: BootContext;
  readonly memo: () => JsonObject;
}

function bootContext(deps: EngineParts, hardware: Hardware, of: Node, signal: AbortSignal): BootCleaning {
  let node = of;
  let memo: JsonObject = {};
  const context: BootContext = {
    get node() {
      return node;
    },
    ports: [],
    signal,
    now: deps.now,
    management: hardware.management,
    async remember(more) {
      memo = { ...memo, ...more };
    },
    async updateNode(patch) {
      node = await deps.store.nodes.update(node.uuid, patch, deps.now());
    },
    async setPower(target) {
      node = await changePower(deps, hardware, { node, ports: [], signal, now: deps.now }, target);
    },
  };
  return { context, memo: () => memo };
}

async function cleanUp(hardware: Hardware, { context, memo }: BootCleaning): Promise<void> {
  for (;;) {
    const outcome = await hardware.boot.cleanUp(context, memo());
    if (outcome.kind === 'done') return;
    const { deadline, wakeAt, overdue } = outcome;
    if (context.now() >= deadline) throw new IngotError('timeout', overdue);
    const waitMs = (wakeAt?.getTime() ?? Number.POSITIVE_INFINITY) - context.now().getTime();
    await sleep(Math.min(Math.max(waitMs, 0), LOOK_MS), undefined, { signal: context.signal });
  }
}
