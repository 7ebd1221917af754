/**
 * A machine that is inspected, cleaned and deployed while a stranger on the same network tries to take its place: asks
 * lookup before it does, asks for its boot script, and answers its DHCP requests.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FirstMachine, setUpFirstMachine, showOnFailure, WAIT_MS } from './first-machine.ts';
import { prepareIngredients } from './ingredients.ts';
import { STRANGER_ADDRESS, type Stranger, startStranger } from './stranger.ts';

const CONDUCTOR = 'http://10.83.0.1:8089';
const TLS = 'https://10.83.0.1:8090';
const VERSION = 'X-OpenStack-Ironic-API-Version: 1.82';
/** For a boot in which nothing goes wrong. */
const LONG_ENOUGH_MS = 150_000;
const SECRETS = /agent_token|boot-secret|user_data|instance_info/;

describe('a machine with a stranger on its network', () => {
  let first: FirstMachine;
  let stranger: Stranger;
  let node: string;

  beforeAll(async () => {
    first = await setUpFirstMachine('bios', { strangers: 1 });
    const { ramdiskDir } = await prepareIngredients(AbortSignal.timeout(WAIT_MS));
    stranger = await startStranger(first.lab, ramdiskDir, 'tap1');
    const { driverInfo, machine, conductor } = first;
    node = await conductor.operator.enroll({ name: 'target', driver: 'ipmi', driverInfo, mac: machine.mac });
    await conductor.operator.provision(node, 'manage');
    await reach('manageable');
  });
  afterAll(() => first?.lab.stop());
  beforeEach(() => showOnFailure(first));

  const operator = () => first.conductor.operator;
  const reach = (state: string) => operator().waitForState(node, state, { timeoutMs: WAIT_MS });
  const history = async (): Promise<string> =>
    JSON.stringify((await operator().call('GET', `/v1/nodes/${node}/history?detail=true`)).body);
  const shown = async () =>
    (await operator().call('GET', `/v1/nodes/${node}`)).body as Record<string, unknown>;
  const lookUp = () =>
    stranger.run(
      [`${CONDUCTOR}/v1/lookup?addresses=${first.machine.mac}`, `${TLS}/v1/lookup?node_uuid=${node}`]
        .map((url) => `wget -q -S -O - --no-check-certificate --header '${VERSION}' '${url}'`)
        .join('; '),
    );
  const askForScript = () =>
    stranger.run(`wget -q -O - '${CONDUCTOR}/boot/script.ipxe?mac=${first.machine.mac}'`);

  it('is inspected, while the stranger asks lookup all the time', async () => {
    await operator().provision(node, 'inspect');
    const answers: string[] = [];
    const done = reach('manageable');
    let over = false;
    void done.finally(() => {
      over = true;
    });
    while (!over) answers.push(await lookUp());
    await done;
    expect(answers.length).toBeGreaterThan(1);
    expect(answers.join('\n')).toContain('403');
    expect(answers.join('\n')).not.toMatch(SECRETS);
    expect(await history()).toContain(`a lookup without the boot secret came from ${STRANGER_ADDRESS}`);
    expect(await shown()).toMatchObject({ provision_state: 'manageable', last_error: null });
  });

  it('is not cleaned by a stranger who asks for its boot script: the clean fails and names him', async () => {
    await operator().provision(node, 'provide');
    await reach('clean wait');
    expect(await askForScript()).not.toMatch(/^kernel /m);
    await reach('clean failed');
    expect((await shown())['last_error']).toContain(STRANGER_ADDRESS);
    expect(await askForScript()).not.toMatch(SECRETS);
  });

  it('is never deployed by a stranger who answers its DHCP requests', async () => {
    await operator().provision(node, 'manage');
    await reach('manageable');
    const config = ['start 10.83.0.200', 'end 10.83.0.210', 'interface CARD', `siaddr ${STRANGER_ADDRESS}`];
    await stranger.run(
      [
        'card=$(ls /sys/class/net | grep -v lo | head -n 1)',
        `printf '%s\\n' ${config.map((line) => `"${line}"`).join(' ')} 'boot_file stolen' | sed "s/CARD/$card/" > /tmp/dhcp.conf`,
        'mkdir -p /var/lib/misc; touch /var/lib/misc/udhcpd.leases; udhcpd /tmp/dhcp.conf',
      ].join('\n'),
    );
    await operator().provision(node, 'inspect');
    // The firmware takes one of the two offers. With the stranger's it never boots the ramdisk.
    const ended = await Promise.race([reach('manageable'), reach('inspect failed'), sleep(LONG_ENOUGH_MS)]);
    if (ended === undefined) {
      await operator().provision(node, 'abort');
      await reach('inspect failed');
    }
    expect((await lookUp()).includes('agent_token')).toBe(false);
    expect((await shown())['provision_state']).not.toBe('active');
  });
});
