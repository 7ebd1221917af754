/**
 * BIOS of fake hardware: the settings that were last applied, stored in driver_internal_info.
 */
import type { BiosSetting } from '../../domain/driver-parts.ts';
import type { DriverInterface, StepContext } from '../../domain/drivers.ts';
import { IngotError } from '../../domain/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import type { Node } from '../../domain/node.ts';
import type { FakeBehaviour } from './behaviour.ts';
import { EVERYWHERE, manual, type NamedStep } from './configuration.ts';

/** Name -> `{value, created_at, updated_at}`, times as ISO text. */
const KEPT_IN = 'fake_bios_settings';

export function createFakeBios({ always, steps }: FakeBehaviour): DriverInterface {
  const offered: NamedStep[] = [
    {
      step: 'apply_configuration',
      argsInfo: {
        settings: { description: 'List of all BIOS settings wanted, {name, value} each.', required: true },
      },
      effect: (context) => keep(context, applied(context)),
    },
    { step: 'factory_reset', effect: (context) => keep(context, {}) },
    { step: 'cache_bios_settings' },
  ];
  return { ...always, steps: steps('bios', manual(offered, EVERYWHERE)), biosSettings };
}

const keep = ({ node, updateNode }: StepContext, settings: JsonObject): Promise<void> =>
  updateNode({ driverInternalInfo: { ...node.driverInternalInfo, [KEPT_IN]: settings } });

const kept = (node: Node): JsonObject => {
  const settings = node.driverInternalInfo[KEPT_IN];
  return isJsonObject(settings) ? settings : {};
};

/** As in Ironic, the list is complete: other settings are removed. */
function applied({ node, step, now }: StepContext): JsonObject {
  const wanted = step.args['settings'];
  if (!Array.isArray(wanted)) throw new IngotError('invalidParameter', '"settings" must be a list');
  const before = kept(node);
  const at = now().toISOString();
  return Object.fromEntries(
    wanted.map((entry: Json) => {
      if (!isJsonObject(entry) || typeof entry['name'] !== 'string') {
        throw new IngotError('invalidParameter', 'each of "settings" must be {name, value}');
      }
      const old = before[entry['name']];
      const created = isJsonObject(old) ? old['created_at'] : undefined;
      const value = entry['value'] == null ? null : String(entry['value']);
      return [
        entry['name'],
        { value, created_at: created ?? at, updated_at: created === undefined ? null : at },
      ];
    }),
  );
}

function biosSettings(node: Node): BiosSetting[] {
  return Object.entries(kept(node)).flatMap(([name, setting]) => {
    if (!isJsonObject(setting)) return [];
    const { value, created_at: created, updated_at: updated } = setting;
    return [
      {
        name,
        value: typeof value === 'string' ? value : null,
        createdAt: new Date(String(created)),
        updatedAt: typeof updated === 'string' ? new Date(updated) : null,
      },
    ];
  });
}
