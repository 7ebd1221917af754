/**
 * Table of the agent's clean and deploy steps, with the names and priorities of ironic-python-agent's generic hardware
 * manager.
 */
import type { AgentStepInfo, StepExtension } from '@ingot/shared/agent/steps.ts';
import { deployImage } from './deploy-image.ts';
import { eraseDevices, eraseDevicesMetadata } from './erase-devices.ts';
import { erasePstore } from './erase-pstore.ts';
import type { CommandContext } from './hardware.ts';

interface AgentStep extends AgentStepInfo {
  readonly kinds: readonly StepExtension[];
  readonly run: (context: CommandContext, args: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

const step = (
  name: string,
  priority: number,
  kinds: readonly StepExtension[],
  run: AgentStep['run'],
  more: Partial<AgentStep> = {},
): AgentStep => ({
  step: name,
  priority,
  interface: 'deploy',
  rebootRequested: false,
  abortable: true,
  kinds,
  run,
  ...more,
});

const STEPS: readonly AgentStep[] = [
  step('erase_devices_metadata', 99, ['clean'], eraseDevicesMetadata),
  step('erase_devices', 10, ['clean'], eraseDevices),
  step('erase_pstore', 5, ['clean'], (context) => erasePstore(context)),
  step(
    'write_image',
    0,
    ['deploy'],
    (context, args) => deployImage(context, args['image_info'], args['configdrive']),
    {
      abortable: false,
      argsInfo: {
        image_info: { description: 'The image to write: urls, digest, format.', required: true },
        configdrive: { description: 'Config drive, base64 of gzip or a URL.', required: false },
      },
    },
  ),
];

export function stepsOf(kind: StepExtension): AgentStepInfo[] {
  return STEPS.filter(({ kinds }) => kinds.includes(kind)).map(({ kinds: _, run: __, ...info }) => info);
}

export function findStep(kind: StepExtension, name: string): AgentStep | undefined {
  return STEPS.find((one) => one.step === name && one.kinds.includes(kind));
}
