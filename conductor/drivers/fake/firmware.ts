/**
 * Firmware of fake hardware: a BMC and a BIOS. Their version is the name of the file of the last update, stored in
 * driver_internal_info.
 */
import type { FirmwareComponent } from '../../domain/driver-parts.ts';
import type { DriverInterface, StepContext } from '../../domain/drivers.ts';
import { IngotError } from '../../domain/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import type { Node } from '../../domain/node.ts';
import type { FakeBehaviour } from './behaviour.ts';
import { manual, type NamedStep } from './configuration.ts';

/** Component -> `{version, updated_at}`, times as ISO text. */
const KEPT_IN = 'fake_firmware_components';
const COMPONENTS = ['bmc', 'bios'] as const;
const FIRST_VERSION = '1.0';

export function createFakeFirmware({ always, steps }: FakeBehaviour): DriverInterface {
  const update: NamedStep = {
    step: 'update',
    argsInfo: {
      settings: { description: 'List of updates, {component, url} each.', required: true },
    },
    effect: ({ node, step, now, updateNode }) =>
      updateNode({
        driverInternalInfo: {
          ...node.driverInternalInfo,
          [KEPT_IN]: { ...kept(node), ...flashed(step, now()) },
        },
      }),
  };
  return { ...always, steps: steps('firmware', manual([update], ['clean', 'service'])), firmwareComponents };
}

const kept = (node: Node): JsonObject => {
  const components = node.driverInternalInfo[KEPT_IN];
  return isJsonObject(components) ? components : {};
};

function flashed({ args }: StepContext['step'], now: Date): JsonObject {
  const { settings } = args;
  if (!Array.isArray(settings)) throw new IngotError('invalidParameter', '"settings" must be a list');
  return Object.fromEntries(
    settings.map((entry: Json) => {
      const { component, url } = isJsonObject(entry) ? entry : {};
      const version = typeof url === 'string' ? URL.parse(url)?.pathname.split('/').at(-1) : undefined;
      if (!(COMPONENTS as readonly unknown[]).includes(component) || !version) {
        throw new IngotError(
          'invalidParameter',
          `each of "settings" must be {component, url}: a component of ${COMPONENTS.join(', ')}, and the URL of a file`,
        );
      }
      return [component, { version, updated_at: now.toISOString() }];
    }),
  );
}

function firmwareComponents(node: Node): FirmwareComponent[] {
  return COMPONENTS.map((component) => {
    const found = kept(node)[component];
    const { version, updated_at: updated } = isJsonObject(found) ? found : {};
    return {
      component,
      initialVersion: FIRST_VERSION,
      currentVersion: typeof version === 'string' ? version : FIRST_VERSION,
      lastVersionFlashed: typeof version === 'string' ? version : null,
      vendor: null,
      model: component === 'bmc' ? 'Fake BMC' : null,
      serialNumber: null,
      createdAt: node.createdAt,
      updatedAt: typeof updated === 'string' ? new Date(updated) : null,
    };
  });
}
