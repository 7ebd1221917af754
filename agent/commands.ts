/**
 * Table of the agent's commands: `extension.name` -> parameters and function.
 *
 * An `async` command is answered at once, and the conductor asks for its result by id. A `sync` command is answered
 * with its result.
 */

import { isDeepStrictEqual } from 'node:util';
import { decodeImageInfo } from '@ingot/shared/agent/image-info.ts';
import {
  decodeStepExecution,
  encodeStepList,
  encodeStepResult,
  type StepExtension,
  versionKey,
} from '@ingot/shared/agent/steps.ts';
import type { Decoded } from '@ingot/shared/decoded.ts';
import type { Json } from '@ingot/shared/json.ts';
import type { Params, ParamTable } from './api/params.ts';
import { checkBootCode } from './bootloader/bios.ts';
import { installUefiEntry } from './bootloader/uefi.ts';
import { AgentError } from './command-error.ts';
import { bootMac } from './config.ts';
import { ESP_TYPES, readPartitions } from './disk/partitions.ts';
import { collectInventory } from './inventory/inventory.ts';
import { currentBootMode } from './inventory/machine.ts';
import { collectLogs } from './log-archive.ts';
import { powerOff, reboot, syncDisks } from './power.ts';
import { deployImage } from './steps/deploy-image.ts';
import type { CommandContext } from './steps/hardware.ts';
import { findStep, stepsOf } from './steps/step-table.ts';
import { rootDevice } from './steps/written-disk.ts';
import { VERSION } from './version.ts';

export interface Command {
  readonly kind: 'sync' | 'async';
  readonly params: ParamTable;
  /** Called with parameters that are checked against the table. */
  readonly run: (context: CommandContext, params: Params) => Promise<unknown>;
}

export const MANAGER = 'IngotHardwareManager';
export const MANAGER_VERSION = { [MANAGER]: VERSION } as const;

const immediate = (run: Command['run'], params: ParamTable = {}): Command => ({ kind: 'sync', params, run });
const background = (run: Command['run'], params: ParamTable = {}): Command => ({
  kind: 'async',
  params,
  run,
});

/** The current node and its ports from the conductor, so that root device hints are up to date. */
const NODE: ParamTable = { node: { kind: 'object' }, ports: { kind: 'list' } };

function getSteps(kind: StepExtension): Command {
  return immediate(
    async () => encodeStepList(kind, MANAGER, { steps: stepsOf(kind), version: MANAGER_VERSION }),
    NODE,
  );
}

function executeStep(kind: StepExtension): Command {
  const run: Command['run'] = async (context, params) => {
    const asked = decodeStepExecution(kind, params);
    if (!asked.ok) throw new AgentError('InvalidCommandParamsError', asked.reason);
    const { step, args, version } = asked.value;
    if (version != null && !isDeepStrictEqual(version, MANAGER_VERSION)) {
      throw new AgentError(
        'VersionMismatch',
        `Current versions: ${JSON.stringify(MANAGER_VERSION)}, versions used by ironic: ${JSON.stringify(version)}`,
      );
    }
    const found = findStep(kind, step);
    if (found === undefined) {
      const known = stepsOf(kind).map((one) => one.step);
      throw new Error(
        `this agent has no ${kind} step ${step}; it has ${known.length > 0 ? known.join(', ') : 'none'}`,
      );
    }
    const result = await found.run(context, args);
    return encodeStepResult(kind, params['step'] as Json, (result ?? null) as Json);
  };
  return background(run, {
    step: {
      kind: 'object',
      required: true,
      fault: (step) => faultOf(decodeStepExecution(kind, { step })),
    },
    [versionKey(kind)]: { kind: 'object' },
    ...NODE,
  });
}

const faultOf = (decoded: Decoded<unknown>): string | null => (decoded.ok ? null : decoded.reason);

export const COMMANDS: Readonly<Record<string, Command>> = {
  'clean.get_clean_steps': getSteps('clean'),
  'clean.execute_clean_step': executeStep('clean'),
  'deploy.get_deploy_steps': getSteps('deploy'),
  'deploy.execute_deploy_step': executeStep('deploy'),
  'service.get_service_steps': getSteps('service'),
  'service.execute_service_step': executeStep('service'),

  'standby.prepare_image': background(
    (context, { image_info, configdrive }) => deployImage(context, image_info, configdrive),
    {
      image_info: { kind: 'object', required: true, fault: (info) => faultOf(decodeImageInfo(info)) },
      configdrive: { kind: 'text' },
    },
  ),
  'standby.get_partition_uuids': immediate(partitionUuids),
  'standby.sync': immediate(async ({ hardware }) => syncDisks(hardware.run)),
  'standby.power_off': background(async ({ hardware }) => powerOff(hardware)),
  'standby.run_image': background(async ({ hardware }) => reboot(hardware)),

  'image.install_bootloader': background(installBootloader, {
    root_uuid: { kind: 'text' },
    efi_system_part_uuid: { kind: 'text' },
    prep_boot_part_uuid: { kind: 'text' },
    target_boot_mode: {
      kind: 'text',
      fault: (mode) => (mode === 'bios' || mode === 'uefi' ? null : 'target_boot_mode must be bios or uefi'),
    },
    ignore_bootloader_failure: { kind: 'flag' },
  }),
  'log.collect_system_logs': immediate(async ({ hardware }) => ({
    system_logs: await collectLogs(hardware),
  })),
  'poll.get_hardware_info': immediate(({ hardware }) =>
    collectInventory(hardware.run, bootMac(hardware.config)),
  ),
};

/** Partition GUIDs, not file system UUIDs, which whole-disk images do not need. */
async function partitionUuids(context: CommandContext): Promise<unknown> {
  const { list } = await readPartitions(context.hardware.run, await rootDevice(context));
  return {
    partitions: Object.fromEntries(list.map(({ path, uuid }) => [path, uuid])),
    'root uuid': null,
    'efi system partition uuid': list.find(({ type }) => ESP_TYPES.includes(type))?.uuid ?? null,
    'PReP Boot partition uuid': null,
  };
}

/** Failures may be ignored on request: some firmware stores no boot entries and still boots from the disk. */
async function installBootloader(context: CommandContext, params: Params): Promise<unknown> {
  try {
    return await makeBootable(context, params['target_boot_mode']);
  } catch (error) {
    if (params['ignore_bootloader_failure'] !== true) throw error;
    const text = `not installed, ignored as ignore_bootloader_failure says: ${(error as Error).message}`;
    context.hardware.log.warn(`boot loader ${text}`);
    return text;
  }
}

async function makeBootable(context: CommandContext, targetMode: unknown): Promise<string> {
  const device = await rootDevice(context);
  const mode = targetMode ?? currentBootMode();
  if (mode !== 'uefi') {
    await checkBootCode(device);
    return 'BIOS: the image contains its own boot code';
  }
  if (currentBootMode() !== 'uefi') {
    throw new Error(
      'the node shall boot in UEFI mode, but this ramdisk was booted in BIOS mode and cannot set UEFI boot entries: set the firmware to UEFI',
    );
  }
  const loader = await installUefiEntry(context.hardware.run, device);
  return `UEFI: boot entry "${loader.label}" for ${loader.path}`;
}
