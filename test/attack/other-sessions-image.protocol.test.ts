/**
 * A stranger on the provisioning network who knows the digest of a private image asks for it: at the boot server, by the
 * image's id in the cache, and by a node of his own that names the digest with another source. Only the session that
 * deploys the image gets it, as long as it does.
 */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Node } from '@ingot/conductor/domain/node.ts';
import { openImageTickets } from '@ingot/conductor/images/image-tickets.ts';
import { afterEach, expect, it } from 'vitest';
import { rawDisk, sha256Of } from '../fakes/image-files.ts';
import { provision } from '../fakes/operator.ts';
import { type AttackedConductor, type FileSettings, startAttackedConductor } from './attacked-conductor.ts';

const PRIVATE = rawDisk(0x5e);
const DIGEST = sha256Of(PRIVATE);
const VERDICT_LIMIT_MS = 30_000;

let conductor: AttackedConductor;
const start = async (settings: FileSettings = {}): Promise<void> => {
  conductor = await startAttackedConductor({ loopback: true, settings });
};
afterEach(() => conductor?.[Symbol.asyncDispose]());

const instanceInfo = (name: string): object => ({
  image_source: `file://${join(conductor.imageDir, name)}`,
  image_checksum: DIGEST,
  image_disk_format: 'raw',
});

/** The victim's node, whose image is in the cache, and that waits for its agent. */
async function victim() {
  await writeFile(join(conductor.imageDir, 'private'), PRIVATE);
  return conductor.nodeAwaitingAgent('deploy', { fields: { instance_info: instanceInfo('private') } });
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
/** Ids of cache entries can be computed by those who know the source and the digest. */
const idsOf = (): string[] => {
  const source = `file://${join(conductor.imageDir, 'private')}`;
  return [sha256(`sha256:${DIGEST}\0raw`), sha256(`${source}\0sha256:${DIGEST}\0raw`)];
};

it('the boot server does not send a prepared image to who knows its digest and a node', async () => {
  await start();
  const { node } = await victim();
  const queries = [
    '',
    `?node=${node}`,
    `?node=${node}&ticket=`,
    `?node=${node}&ticket=${'A'.repeat(43)}`,
    `?node=${node}&ticket=${node}`,
  ];
  for (const id of idsOf())
    for (const form of ['raw', 'zst', 'meta.json'])
      for (const query of queries) {
        const answer = await conductor.provisioning('GET', `/images/${id}/${form}${query}`);
        expect([form, query, answer.status]).toEqual([form, query, 404]);
      }
});

it('a node does not get an image by its digest and another source', async () => {
  await start();
  await victim();
  const { node, mac } = await conductor.operator.make({
    fields: {
      boot_interface: 'ipxe',
      deploy_interface: 'direct',
      automated_clean: false,
      instance_info: instanceInfo('no-such-file'),
    },
    port: true,
    verbs: ['manage', 'provide'],
  });
  await conductor.operator.ask({ node, mac }, provision({ target: 'active' }));
  const shown = async () => (await conductor.api('GET', `/v1/nodes/${node}`)).body;
  await expect
    .poll(async () => (await shown()).provision_state, { timeout: VERDICT_LIMIT_MS })
    .toBe('deploy failed');
  expect((await shown()).last_error).toContain('does not exist or cannot be read');
});

it('the session that deploys the image gets it, no other one does, and it does not afterwards', async () => {
  await start({ agent: { allow_plaintext: true } });
  const [first, second] = [await victim(), await victim()];
  const session = async ({ node, mac }: typeof first): Promise<Node> => {
    const answer = await conductor.provisioning('GET', `/v1/lookup?addresses=${mac}`);
    expect(answer.status).toBe(200);
    return { uuid: node, agent: { token: answer.body.config.agent_token } } as Node;
  };
  const [one, other] = [await session(first), await session(second)];
  const [, id] = idsOf();
  // What is in the agent's command.
  const tickets = openImageTickets(join(conductor.dataDir, 'images'));
  const path = tickets.pathFor(one, id!, 'raw');
  const status = async (asked: string) => (await conductor.provisioning('GET', asked)).status;

  const whole = await conductor.provisioning('GET', path);
  expect([whole.status, whole.headers['content-length']]).toEqual([200, String(PRIVATE.length)]);
  expect(await status(path.replace(one.uuid, other.uuid))).toBe(404);
  expect(await status(path.replace(id!, sha256('another')))).toBe(404);
  const stolen = tickets.pathFor({ ...one, agent: other.agent }, id!, 'raw');
  expect(await status(stolen)).toBe(404);

  await conductor.stop();
  await conductor.start();
  expect(await status(path)).toBe(200);
  await conductor.operator.ask(first, provision({ target: 'deleted' }));
  await conductor.operator.reach(first, 'available');
  expect(await status(path)).toBe(404);
});
