/**
 * The agent's own clean and deploy steps, as a table. Names and priorities are
 * ironic-python-agent's generic hardware manager's (features D.3).
 */
import type { AgentStepInfo } from '@ingot/shared/agent/command.ts';
import { eraseDisk, eraseMetadata, stopRaid } from '../disk/metadata.ts';
import { deployImage } from './deploy-image.ts';
import type { CommandContext } from './hardware.ts';

export type StepKind = 'clean' | 'deploy' | 'service';

interface AgentStep extends AgentStepInfo {
  readonly kinds: readonly StepKind[];
  readonly run: (context: CommandContext, args: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

const step = (
  name: string,
  priority: number,
  kinds: readonly StepKind[],
  run: AgentStep['run'],
  more: Partial<AgentStep> = {},
): AgentStep => ({
  step: name,
  priority,
  interface: 'deploy',
  reboot_requested: false,
  abortable: true,
  kinds,
  run,
  ...more,
});

export const STEPS: readonly AgentStep[] = [
  step('erase_devices_metadata', 99, ['clean'], eraseAllMetadata),
  step('erase_devices', 10, ['clean'], eraseAll),
  step(
    'write_image',
    0,
    ['deploy'],
    (context, args) => deployImage(context, args['image_info'], args['configdrive']),
    {
      abortable: false,
      argsinfo: {
        image_info: { description: 'The image to write: urls, digest, format.', required: true },
        configdrive: { description: 'Config drive, base64 of gzip or a URL.', required: false },
      },
    },
  ),
];

export function stepsOf(kind: StepKind): AgentStepInfo[] {
  return STEPS.filter(({ kinds }) => kinds.includes(kind)).map(({ kinds: _, run: __, ...info }) => info);
}

export function findStep(kind: StepKind, name: string): AgentStep | undefined {
  return STEPS.find((one) => one.step === name && one.kinds.includes(kind));
}

async function eraseAllMetadata({ hardware }: CommandContext): Promise<void> {
  await stopRaid(hardware.run);
  for (const disk of await hardware.listDisks()) {
    hardware.log.info(`erasing the metadata of ${disk.name}`);
    await eraseMetadata(hardware.run, disk);
  }
}

async function eraseAll({ hardware, progress }: CommandContext): Promise<void> {
  const disks = await hardware.listDisks();
  const total = disks.reduce((sum, disk) => sum + disk.size, 0);
  let done = 0;
  for (const disk of disks) {
    hardware.log.info(`erasing ${disk.name}, ${disk.size} bytes`);
    progress({ phase: `erase ${disk.name}`, bytes_done: done, bytes_total: total, bytes_per_second: null });
    await eraseDisk(hardware.run, disk);
    done += disk.size;
  }
}
