/**
 * Inspect interface `agent`: in-band inspection by the ramdisk.
 *
 * The agent posts its inventory while the node waits. The following steps write properties, boot mode and ports of
 * the node from the inventory.
 */

import { decodeInventory } from '@ingot/shared/agent/inventory-facts.ts';
import { boundedText } from '@ingot/shared/agent/limits.ts';
import type { Mac } from '../domain/boot.ts';
import type { DriverInterface, StepContext, StepImplementation } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import { INSPECTION_PROBLEM } from '../domain/inspection-problem.ts';
import type { Outbound } from '../domain/outbound/outbound.ts';
import type { StepOutcome } from '../domain/step-outcome.ts';
import type { Inventory } from '../domain/store/inventory.ts';
import { bootMacs, propertiesFrom } from './inspection-data.ts';
import { type RuleStore, runInspectionRules } from './inspection-rules.ts';
import { bootRamdisk, leaveRamdisk } from './ramdisk-boot.ts';

export interface AgentInspectSettings {
  /** `http://…/v1/continue_inspection` on the provisioning network. */
  readonly callbackUrl: string | null;
}

/** The collectors that the agent runs; `logs` must be last. */
const COLLECTORS = 'default,logs';

/** Storing inventories and adding ports needs the store; app/ provides both. */
export interface InspectionStore extends RuleStore {
  readonly inventoryOf: (nodeUuid: string) => Promise<Inventory | undefined>;
  readonly addPort: (nodeUuid: string, mac: Mac) => Promise<void>;
}

export function createAgentInspect(
  settings: AgentInspectSettings,
  store: InspectionStore,
  outbound: Outbound,
): DriverInterface {
  async function boot(context: StepContext): Promise<StepOutcome> {
    return bootRamdisk(context, {
      kernelParams: {
        'ipa-inspection-callback-url': settings.callbackUrl,
        'ipa-inspection-collectors': COLLECTORS,
      },
      arrived: () => context.node.inspectionFinishedAt !== null,
    });
  }

  async function processInventory(context: StepContext): Promise<StepOutcome> {
    const { node, ports } = context;
    const problem = node.driverInternalInfo[INSPECTION_PROBLEM];
    if (problem !== undefined) throw new IngotError('agentFailure', String(problem));
    const found = await store.inventoryOf(node.uuid);
    if (found === undefined)
      throw new IngotError('agentFailure', 'the inventory the ramdisk sent is no longer stored');
    const failure = found.pluginData['error'];
    if (typeof failure === 'string' && failure !== '') {
      throw new IngotError('agentFailure', `the ramdisk reported: ${boundedText(failure)}`);
    }
    const facts = decodeInventory(found.inventory);
    for (const mac of bootMacs(facts)) {
      if (!ports.some((port) => port.address === mac)) await store.addPort(node.uuid, mac);
    }
    await context.updateNode({
      properties: { ...node.properties, ...propertiesFrom(facts) },
      ...(facts.bootMode === undefined ? {} : { bootMode: facts.bootMode }),
    });
    await runInspectionRules(context, { store, outbound }, found);
    return { kind: 'done' };
  }

  const step = (
    name: string,
    priority: number,
    advance: StepImplementation['advance'],
  ): StepImplementation => ({
    operation: 'inspect',
    step: name,
    priority,
    abortable: true,
    onRestart: 'resume',
    advance,
  });

  return {
    name: 'agent',
    properties: {},
    validate: () => undefined,
    steps: [
      step('boot_ramdisk', 100, boot),
      step('process_inventory', 50, processInventory),
      step('power_off', -1, leaveRamdisk),
    ],
  };
}
