/**
 * Deploy interface `direct`: the agent writes the image to the disk.
 *
 * Deploy steps by priority: 110 cache_image, 100 deploy (boot the ramdisk), 80 write_image,
 * 60 prepare_instance_boot, 40 tear_down_agent, 30 switch_to_tenant_network, 20 boot_instance.
 * Cleaning begins with prepare_cleaning and ends with tear_down_cleaning; between them run the
 * agent's own clean steps, known after its first heartbeat.
 */

import { prepareInstance } from '../domain/boot-work.ts';
import type { DriverInterface, StepContext, StepImplementation } from '../domain/drivers.ts';
import { unerasedDisks } from '../domain/erase-check.ts';
import { IngotError } from '../domain/errors.ts';
import type { ImageCache } from '../domain/images.ts';
import { parseInstanceInfo, required } from '../domain/instance-info.ts';
import { checkRootDevice } from '../domain/root-device.ts';
import type { StepOutcome } from '../domain/step-outcome.ts';
import type { Inventory } from '../domain/store/inventory.ts';
import { targetBootMode } from './boot-mode.ts';
import { imageInfo } from './image-info.ts';
import { createImageJobs } from './image-jobs.ts';
import { bootRamdisk, leaveRamdisk } from './ramdisk-boot.ts';

const step = (
  operation: StepImplementation['operation'],
  name: string,
  priority: number,
  advance: StepImplementation['advance'],
  more: Partial<StepImplementation> = {},
): StepImplementation => ({
  operation,
  step: name,
  priority,
  abortable: false,
  onRestart: 'resume',
  advance,
  ...more,
});

/** The data of the node's last inspection, if there was one. */
export type InventoryOf = (nodeUuid: string) => Promise<Inventory | undefined>;

export function createDirectDeploy(images: ImageCache, inventoryOf: InventoryOf): DriverInterface {
  const tearDownCleaning = async (context: StepContext): Promise<StepOutcome> => {
    await checkErased(context, inventoryOf);
    return leaveRamdisk(context);
  };
  const jobs = createImageJobs(images);
  return {
    name: 'direct',
    properties: {},
    validate(node) {
      // Also checked when they are written, but an earlier version may have stored invalid hints.
      checkRootDevice(node);
      images.validate(required(parseInstanceInfo(node.instanceInfo).image));
    },
    steps: [
      step(
        'deploy',
        'cache_image',
        110,
        (context) => jobs.follow(context, required(context.instance.image)),
        {
          abortable: true,
        },
      ),
      step('deploy', 'deploy', 100, bootIntoAgent, { abortable: true }),
      step('deploy', 'write_image', 80, writeImage),
      step('deploy', 'prepare_instance_boot', 60, prepareInstanceBoot),
      step('deploy', 'tear_down_agent', 40, tearDownAgent),
      step('deploy', 'switch_to_tenant_network', 30, async () => ({ kind: 'done' })),
      step('deploy', 'boot_instance', 20, bootInstance),
      step('clean', 'prepare_cleaning', 1_000, bootIntoAgent, { abortable: true }),
      step('clean', 'tear_down_cleaning', -1, tearDownCleaning),
      step('delete', 'tear_down', 100, tearDown),
    ],
  };
}

/** An automated clean must have erased every inspected disk. What a manual one does is for the operator to say. */
async function checkErased({ operation, node }: StepContext, inventoryOf: InventoryOf): Promise<void> {
  if (operation.args['manual'] === true) return;
  const found = await inventoryOf(node.uuid);
  const left = found === undefined ? [] : unerasedDisks(operation, found.inventory, node.properties);
  if (left.length === 0) return;
  throw new IngotError(
    'agentFailure',
    `the agent did not report as erased: ${left.join(', ')}. If such a disk must keep its data, list it in properties.skip_block_devices; if it was removed, inspect the node again`,
  );
}

/** Boots the ramdisk and learns the steps of its agent. */
async function bootIntoAgent(context: StepContext): Promise<StepOutcome> {
  const booted = await bootRamdisk(context, {
    kernelParams: {},
    arrived: (since) => context.heartbeatSince(since) !== undefined,
  });
  return booted.kind === 'done' ? context.agent.learnSteps() : booted;
}

function writeImage(context: StepContext): Promise<StepOutcome> {
  return context.agent.executeStep(async () => {
    const { node, signal, instance } = context;
    const image = await context.images.ensure(required(instance.image), { signal, reuseChecksum: true });
    const { configDrive } = instance;
    // The config drive is built when the command is sent, and never stored with the step.
    const built = configDrive === null ? null : await context.configDrives.build(configDrive, node, signal);
    return { image_info: imageInfo(context, image), configdrive: built };
  });
}

/** The agent installs the boot loader; then the conductor sets what the machine boots from now on. */
async function prepareInstanceBoot(context: StepContext): Promise<StepOutcome> {
  const mode = targetBootMode(context.node);
  const ours = context.node.agent?.version?.startsWith('ingot/') === true;
  // ironic-python-agent has nothing to do for a whole-disk image on BIOS, and fails when it is called.
  if (mode === 'uefi' || ours) {
    const followed = await context.agent.follow({
      name: 'image.install_bootloader',
      params: () => ({
        root_uuid: null,
        efi_system_part_uuid: null,
        prep_boot_part_uuid: null,
        target_boot_mode: mode,
        ignore_bootloader_failure: false,
      }),
      limitMs: context.limits.commandMs,
      what: 'install_bootloader',
    });
    if (followed.kind === 'wait') return followed;
  }
  // The boot mode must be stored first, because the boot device is set for it.
  await context.updateNode({ bootMode: mode });
  return prepareInstance(context);
}

/** The agent flushes its writes; then the BMC powers off, which always works. */
async function tearDownAgent(context: StepContext): Promise<StepOutcome> {
  if (context.step.memo['synced'] !== true) {
    await context.agent.call('standby.sync', context.limits.commandMs);
    await context.remember({ synced: true });
  }
  if (!context.node.disablePowerOff) await context.setPower('power off');
  return { kind: 'done' };
}

async function bootInstance(context: StepContext): Promise<StepOutcome> {
  await context.setPower(context.node.disablePowerOff ? 'rebooting' : 'power on');
  return { kind: 'done' };
}

/** Removes all data of the instance from the node; the cleaning that follows erases the disks. */
async function tearDown(context: StepContext): Promise<StepOutcome> {
  const left = await leaveRamdisk(context);
  if (left.kind !== 'done') return left;
  await context.updateNode({ instanceInfo: {}, instanceUuid: null });
  return { kind: 'done' };
}
