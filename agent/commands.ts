/**
 * The commands a conductor may give, as a table: `extension.name` -> what it does (features D.2).
 *
 * `async` ones answer at once and are followed by their id; the others answer with their result.
 */

import { checkBootCode } from './bootloader/bios.ts';
import { installUefiEntry } from './bootloader/uefi.ts';
import { bootMac } from './config.ts';
import { ESP_TYPES, readPartitions } from './disk/partitions.ts';
import { collectInventory } from './inventory/inventory.ts';
import { currentBootMode } from './inventory/machine.ts';
import { collectLogs } from './log-archive.ts';
import { powerOff, reboot, syncDisks } from './power.ts';
import { deployImage } from './steps/deploy-image.ts';
import type { CommandContext } from './steps/hardware.ts';
import { findStep, type StepKind, stepsOf } from './steps/step-table.ts';
import { rootDevice } from './steps/written-disk.ts';
import { VERSION } from './version.ts';

type Params = Readonly<Record<string, unknown>>;

export interface Command {
  readonly kind: 'sync' | 'async';
  readonly run: (context: CommandContext, params: Params) => Promise<unknown>;
}

export const MANAGER = 'IngotHardwareManager';
export const MANAGER_VERSION = { [MANAGER]: VERSION } as const;

/** The hardware managers changed between listing and executing: the list must be fetched again. */
export class VersionMismatch extends Error {
  override readonly name = 'VersionMismatch';
}

export class BadParams extends Error {
  override readonly name = 'BadParams';
}

const immediate = (run: Command['run']): Command => ({ kind: 'sync', run });
const background = (run: Command['run']): Command => ({ kind: 'async', run });

function getSteps(kind: StepKind): Command {
  return immediate(async () => ({
    [`${kind}_steps`]: { [MANAGER]: stepsOf(kind) },
    hardware_manager_version: MANAGER_VERSION,
  }));
}

function executeStep(kind: StepKind): Command {
  return background(async (context, params) => {
    const asked = params['step'];
    const { step: name, args } = (typeof asked === 'object' && asked !== null ? asked : {}) as {
      step?: unknown;
      args?: unknown;
    };
    if (typeof name !== 'string') throw new BadParams(`execute_${kind}_step needs a step with a name`);
    const version = params[`${kind}_version`];
    if (version != null && JSON.stringify(version) !== JSON.stringify(MANAGER_VERSION)) {
      throw new VersionMismatch(
        `the ${kind} steps were listed by another version: ${JSON.stringify(version)}`,
      );
    }
    const found = findStep(kind, name);
    if (found === undefined) throw new Error(`this agent has no ${kind} step ${name}`);
    const result = await found.run(
      context,
      (typeof args === 'object' && args !== null ? args : {}) as Params,
    );
    return { [`${kind}_result`]: result ?? null, [`${kind}_step`]: asked };
  });
}

export const COMMANDS: Readonly<Record<string, Command>> = {
  'clean.get_clean_steps': getSteps('clean'),
  'clean.execute_clean_step': executeStep('clean'),
  'deploy.get_deploy_steps': getSteps('deploy'),
  'deploy.execute_deploy_step': executeStep('deploy'),
  'service.get_service_steps': getSteps('service'),
  'service.execute_service_step': executeStep('service'),

  'standby.prepare_image': background((context, { image_info, configdrive }) =>
    deployImage(context, image_info, configdrive),
  ),
  'standby.get_partition_uuids': immediate(partitionUuids),
  'standby.sync': immediate(async ({ hardware }) => syncDisks(hardware.run)),
  'standby.power_off': background(async ({ hardware }) => powerOff(hardware.run)),
  'standby.run_image': background(async ({ hardware }) => reboot(hardware.run)),

  'image.install_bootloader': background(installBootloader),
  'log.collect_system_logs': immediate(async ({ hardware }) => ({
    system_logs: await collectLogs(hardware),
  })),
  'poll.get_hardware_info': immediate(({ hardware }) =>
    collectInventory(hardware.run, bootMac(hardware.config)),
  ),
};

/** Partition GUIDs: file system UUIDs would need a prober, and whole-disk images bring their own loader. */
async function partitionUuids(context: CommandContext): Promise<unknown> {
  const { list } = await readPartitions(context.hardware.run, await rootDevice(context));
  return {
    partitions: Object.fromEntries(list.map(({ path, uuid }) => [path, uuid])),
    'root uuid': null,
    'efi system partition uuid': list.find(({ type }) => ESP_TYPES.includes(type))?.uuid ?? null,
    'PReP Boot partition uuid': null,
  };
}

async function installBootloader(context: CommandContext, params: Params): Promise<unknown> {
  const device = await rootDevice(context);
  const mode = params['target_boot_mode'] ?? currentBootMode();
  if (mode !== 'uefi') {
    await checkBootCode(device);
    return 'BIOS: the image brings its own boot code';
  }
  if (currentBootMode() !== 'uefi') {
    throw new Error(
      'the node is to boot by UEFI, but this ramdisk was started by BIOS and cannot set UEFI boot entries: set the firmware to UEFI',
    );
  }
  const loader = await installUefiEntry(context.hardware.run, device);
  return `UEFI: boot entry "${loader.label}" for ${loader.path}`;
}
