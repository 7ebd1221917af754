/**
 * Performs what inspection rules decide: changes the node, its ports and the stored data, then acts on hardware and
 * other hosts.
 */
import { camelCase } from '@ingot/shared/ironic/casing.ts';
import { parseFieldValue } from '@ingot/shared/ironic/field-values.ts';
import { NODE_FIELDS } from '@ingot/shared/ironic/node-fields.ts';
import { PORT_FIELDS } from '@ingot/shared/ironic/port-fields.ts';
import { badTrait } from '@ingot/shared/ironic/traits.ts';
import type { WireField } from '@ingot/shared/ironic/wire-field.ts';
import type { StepContext } from '../domain/drivers.ts';
import { IngotError } from '../domain/errors.ts';
import { applyRules, type Draft } from '../domain/inspection-rules/actions.ts';
import type { InspectionRule } from '../domain/inspection-rules/rule.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import type { NodePatch, Port, PortPatch } from '../domain/node.ts';
import type { Outbound } from '../domain/outbound/outbound.ts';
import { maskSecrets } from '../domain/secrets.ts';
import type { Inventory } from '../domain/store/inventory.ts';
import { loadPatterns } from '../domain/text-pattern.ts';
import { makeRuleCall } from './rule-calls.ts';

export interface RuleStore {
  readonly inspectionRules: () => Promise<readonly InspectionRule[]>;
  readonly portsOf: (nodeUuid: string) => Promise<readonly Port[]>;
  readonly changePort: (uuid: string, patch: PortPatch) => Promise<void>;
  readonly keepInventory: (nodeUuid: string, inventory: Inventory) => Promise<void>;
  readonly log: (nodeUuid: string, level: string, message: string) => void;
}

/** What rules act with. */
export interface RuleMeans {
  readonly store: RuleStore;
  readonly outbound: Outbound;
}

const RULED_NODE_FIELDS = [
  'name',
  'driver_info',
  'instance_info',
  'properties',
  'extra',
  'network_data',
  'resource_class',
  'description',
  'owner',
  'lessee',
  'shard',
  'automated_clean',
];
const RULED_PORT_FIELDS = [
  'extra',
  'pxe_enabled',
  'local_link_connection',
  'physical_network',
  'is_smartnic',
  'name',
];

const wireForm = (record: object, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    names.map((name) => [name, ((record as Record<string, unknown>)[camelCase(name)] ?? null) as Json]),
  );

/** The changed fields under their stored names, checked like those of a request. */
function changesOf(
  table: readonly WireField[],
  before: JsonObject,
  after: JsonObject,
): Record<string, unknown> {
  const changed = table.filter(
    ({ wire }) => Object.hasOwn(after, wire) && JSON.stringify(before[wire]) !== JSON.stringify(after[wire]),
  );
  return Object.fromEntries(
    changed.map(({ wire, kind, maxLength }) => {
      const parsed = parseFieldValue(kind, after[wire], maxLength);
      if (parsed.ok) return [camelCase(wire), parsed.value];
      throw new IngotError('agentFailure', `an inspection rule sets ${wire}, which ${parsed.reason}`);
    }),
  );
}

/** Throws agentFailure with the text of a rule that fails, or when an action is not possible. */
export async function runInspectionRules(
  context: StepContext,
  { store, outbound }: RuleMeans,
  { inventory, pluginData }: Inventory,
): Promise<void> {
  const rules = await store.inspectionRules();
  if (rules.length === 0) return;
  const { node } = context;
  const ports = await store.portsOf(node.uuid);
  const before: Draft = {
    node: wireForm(node, ['uuid', ...RULED_NODE_FIELDS]),
    traits: node.traits,
    ports: ports.map((port) => wireForm(port, ['uuid', 'address', ...RULED_PORT_FIELDS])),
    pluginData,
  };
  const { draft, effects, failure } = applyRules(rules, before, {
    inventory,
    mask: maskSecrets,
    parsePattern: await loadPatterns(),
  });
  await keep(context, store, before, draft, { inventory, pluginData: draft.pluginData });
  for (const effect of effects) {
    if (effect.kind === 'log') store.log(node.uuid, effect.level, effect.message);
    else await makeRuleCall(effect, outbound, context.signal);
  }
  if (failure !== undefined) throw new IngotError('agentFailure', failure);
}

async function keep(
  context: StepContext,
  store: RuleStore,
  before: Draft,
  after: Draft,
  inventory: Inventory,
): Promise<void> {
  const traits = after.traits.filter((trait) => !before.traits.includes(trait));
  const bad = traits.find((trait) => badTrait(trait) !== undefined);
  if (bad !== undefined)
    throw new IngotError('agentFailure', `an inspection rule adds "${bad}", which is no trait`);
  const patch: NodePatch = {
    ...changesOf(NODE_FIELDS, before.node, after.node),
    ...(before.traits === after.traits ? {} : { traits: after.traits }),
  };
  if (Object.keys(patch).length > 0) await context.updateNode(patch);
  for (const [index, port] of after.ports.entries()) {
    const change = changesOf(PORT_FIELDS, before.ports[index] as JsonObject, port);
    if (Object.keys(change).length > 0) await store.changePort(String(port['uuid']), change as PortPatch);
  }
  if (after.pluginData !== before.pluginData) await store.keepInventory(context.node.uuid, inventory);
}
