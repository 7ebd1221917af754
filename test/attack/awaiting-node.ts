/**
 * Nodes that wait for their agent: fake power, real boot, deploy and inspection.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rawDisk, sha256Of } from '../fakes/image-files.ts';
import { addPort, type Made, type Operator, provision } from '../fakes/operator.ts';
import type { HttpCall } from './http-caller.ts';

/** What a node may wait for. */
export type AgentOperation = 'inspect' | 'clean' | 'deploy';

const WAITS = {
  inspect: { verbs: ['manage'], target: 'inspect', state: 'inspect wait' },
  clean: { verbs: ['manage'], target: 'provide', state: 'clean wait' },
  deploy: { verbs: ['manage', 'provide'], target: 'active', state: 'wait call-back' },
} as const;
const LIMIT_MS = 20_000;
const POLL_MS = 20;

export interface AwaitingNode {
  /** MAC address of its port. */
  readonly mac?: string;
  /** Fields of the node besides those of this file. */
  readonly fields?: object;
}

export async function makeNodeAwaitingAgent(
  { operator, api, imageDir }: { operator: Operator; api: HttpCall; imageDir: string },
  operation: AgentOperation,
  { mac, fields = {} }: AwaitingNode,
): Promise<Made> {
  const image = rawDisk();
  await writeFile(join(imageDir, 'disk.raw'), image);
  const { verbs, target, state } = WAITS[operation];
  const made = await operator.make({
    fields: {
      boot_interface: 'ipxe',
      deploy_interface: 'direct',
      inspect_interface: 'agent',
      automated_clean: operation === 'clean',
      instance_info: {
        image_source: `file://${join(imageDir, 'disk.raw')}`,
        image_checksum: sha256Of(image),
        image_disk_format: 'raw',
      },
      ...fields,
    },
    port: mac === undefined,
  });
  if (mac !== undefined) await operator.ask(made, addPort({ address: mac }));
  for (const verb of verbs) {
    await operator.ask(made, provision({ target: verb }));
    await operator.reach(made, verb === 'manage' ? 'manageable' : 'available');
  }
  await operator.ask(made, provision({ target }));
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const { body } = await api('GET', `/ingot/v1/nodes/${made.node}/timeline`);
    const { provision_state: is, last_error: error } = body.node;
    if (is === state && body.operations[0]?.waiting_for === 'agent to call back') break;
    if (Date.now() > deadline || error !== null)
      throw new Error(`the node is ${is}, not ${state}; last_error: ${error}`);
    await sleep(POLL_MS);
  }
  return { ...made, mac: mac ?? made.mac };
}
