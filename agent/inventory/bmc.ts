/**
 * The address of the machine's own BMC, asked through the kernel's IPMI device.
 */
import { existsSync } from 'node:fs';
import type { Run } from '../exec/run.ts';

/** What ironic-python-agent says when there is no BMC to be found. */
const UNKNOWN = '0.0.0.0';
const CHANNELS = ['1', '8', '2'];
const TIMEOUT_MS = 10_000;

export async function readBmcAddress(run: Run, device = '/dev/ipmi0'): Promise<string> {
  if (!existsSync(device)) return UNKNOWN;
  for (const channel of CHANNELS) {
    const answer = await run('ipmitool', ['lan', 'print', channel], { timeoutMs: TIMEOUT_MS }).catch(
      () => '',
    );
    const address = /^IP Address\s*:\s*(\d+(?:\.\d+){3})\s*$/m.exec(answer)?.[1];
    if (address !== undefined && address !== UNKNOWN) return address;
  }
  return UNKNOWN;
}
