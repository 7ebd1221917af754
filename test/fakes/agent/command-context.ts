/** The context of an agent's command or step, with disks that the test specifies. */
import { parseCommandLine } from '../../../agent/config.ts';
import type { Run } from '../../../agent/exec/run.ts';
import type { Disk } from '../../../agent/inventory/disks.ts';
import { createLog } from '../../../agent/log.ts';
import type { CommandContext } from '../../../agent/steps/hardware.ts';

export function fakeContext(fields: {
  readonly run: Run;
  readonly disks: readonly Disk[];
  /** The disk to which an image was written before. */
  readonly written?: string;
  readonly node?: Readonly<Record<string, unknown>>;
}): CommandContext {
  const quick = 'ipa-image-download-connection-retries=1 ipa-image-download-connection-retry-interval=0';
  return {
    hardware: {
      run: fields.run,
      config: parseCommandLine(quick).config,
      log: createLog(() => undefined),
      listDisks: async () => [...fields.disks],
      written: { device: fields.written },
      trust: null,
    },
    signal: new AbortController().signal,
    progress: () => undefined,
    node: fields.node ?? {},
  };
}
