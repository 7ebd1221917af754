/**
 * Reads the address of the machine's own BMC through the kernel's IPMI device.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '../exec/run.ts';

/** ironic-python-agent reports this without a BMC, and a BMC without an address reports it too. */
const UNKNOWN = '0.0.0.0';
/** The LAN channel numbers that vendors use, the most common first. */
const CHANNELS = ['1', '8', '2'];
const TIMEOUT_MS = 10_000;

export async function readBmcAddress(run: Run, tree = '/'): Promise<string> {
  if (!existsSync(join(tree, 'dev/ipmi0'))) return UNKNOWN;
  for (const channel of CHANNELS) {
    const answer = await run('ipmitool', ['lan', 'print', channel], { timeoutMs: TIMEOUT_MS }).catch(
      () => '',
    );
    const address = /^IP Address\s*:\s*(\d+(?:\.\d+){3})\s*$/m.exec(answer)?.[1];
    if (address !== undefined && address !== UNKNOWN) return address;
  }
  return UNKNOWN;
}
