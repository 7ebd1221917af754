/** A stranger brings inspection data: 20,000 MAC addresses, an address of another node, or a second time in one boot. */
import { expect, it } from 'vitest';
import { type AttackedConductor, startAttackedConductor } from './attacked-conductor.ts';
import { settled, watched } from './bystander.ts';

const inventory = (macs: readonly string[], more: object = {}) => ({
  inventory: {
    cpu: { architecture: 'x86_64', count: 2 },
    memory: { physical_mb: 2048 },
    disks: [],
    interfaces: macs.map((mac_address, index) => ({ name: `eth${index}`, mac_address })),
    boot: { current_boot_mode: 'bios' },
    ...more,
  },
});
const bring = ({ provisioning }: AttackedConductor, body: object) =>
  provisioning('POST', '/v1/continue_inspection', { body });
const start = () => startAttackedConductor({ loopback: true, plaintextAgents: true });
const portsOf = async ({ api }: AttackedConductor, node: string) =>
  (await api('GET', `/v1/nodes/${node}/ports`)).body.ports as readonly { address: string }[];

it('20,000 MAC addresses fail the inspection and make no port', async () => {
  await using conductor = await start();
  const { node, mac } = await conductor.nodeAwaitingAgent('inspect');
  const macs = Array.from({ length: 20_000 }, (_, n) => `52:54:01:00:${hex(n >> 8)}:${hex(n & 255)}`);
  const { result, slowestMs, grownMiB } = await watched(conductor, async () => {
    const answer = await bring(conductor, inventory([mac, ...macs]));
    return { answer, shown: await settled(conductor, node, 'inspect failed', 'manageable') };
  });
  expect(result.answer.status).toBe(400);
  expect(result.shown.provision_state).toBe('inspect failed');
  expect(result.shown.last_error).toContain('interfaces has 20001 entries; at most 64 are allowed');
  expect(await portsOf(conductor, node)).toHaveLength(1);
  expect(slowestMs).toBeLessThan(1_500);
  expect(grownMiB).toBeLessThan(100);
}, 60_000);

it('an address of another node fails the inspection, which names that node to the operator alone', async () => {
  await using conductor = await start();
  const { node, mac } = await conductor.nodeAwaitingAgent('inspect');
  const other = await conductor.operator.make({ fields: { name: 'rack-7' } });
  const foreign = '52:54:00:fa:00:07';
  await conductor.api('POST', '/v1/ports', { body: { node_uuid: other.node, address: foreign } });
  const answer = await bring(conductor, inventory([mac, foreign.toUpperCase()]));
  expect(answer.status).toBe(404);
  expect(answer.text).not.toContain(other.node);
  const shown = await settled(conductor, node, 'inspect failed', 'manageable');
  expect(shown.provision_state).toBe('inspect failed');
  expect(shown.last_error).toContain(`${foreign}, of node ${other.node} (rack-7)`);
  expect(await portsOf(conductor, node)).toHaveLength(1);
  expect(await portsOf(conductor, other.node)).toMatchObject([{ address: foreign }]);
}, 60_000);

it('of many data in one boot, one is accepted', async () => {
  await using conductor = await start();
  const { node, mac } = await conductor.nodeAwaitingAgent('inspect');
  const first = bring(conductor, inventory([mac], { hostname: 'first' }));
  const more = Array.from({ length: 7 }, (_, n) =>
    bring(conductor, inventory([mac], { hostname: `later-${n}` })),
  );
  const answers = await Promise.all([first, ...more]);
  const accepted = answers.flatMap(({ status }, index) => (status === 202 ? [index] : []));
  expect(accepted).toHaveLength(1);
  await settled(conductor, node, 'manageable');
  expect((await bring(conductor, inventory([mac], { hostname: 'last' }))).status).toBe(404);
  const kept = (await conductor.api('GET', `/v1/nodes/${node}/inventory`)).body.inventory.hostname;
  expect(kept).toBe(accepted[0] === 0 ? 'first' : `later-${accepted[0]! - 1}`);
}, 60_000);

it('bodies of 16 MiB from one address do not fill the memory', async () => {
  await using conductor = await start();
  const body = JSON.stringify({ inventory: {}, logs: 'A'.repeat(15 * 1024 * 1024) });
  const { result, slowestMs, grownMiB } = await watched(conductor, () =>
    Promise.all(Array.from({ length: 24 }, () => bring(conductor, body as unknown as object))),
  );
  for (const { status } of result) expect([404, 503]).toContain(status);
  expect(slowestMs).toBeLessThan(2_000);
  expect(grownMiB).toBeLessThan(250);
}, 60_000);

const hex = (byte: number): string => byte.toString(16).padStart(2, '0');
