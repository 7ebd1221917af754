import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAgentHardware } from '../test/fakes/agent/agent-hardware.ts';
import {
  type FakeAnswer,
  lookupAnswer,
  NODE_UUID,
  refusal,
  startFakeConductor,
  TOKEN,
} from '../test/fakes/agent/fake-conductor.ts';
import { makeTree } from '../test/fakes/agent/file-tree.ts';
import type { Disk } from './inventory/disks.ts';
import { pause } from './retry.ts';
import { runStages } from './start.ts';
import { createState, STAGES, type Surroundings, surroundingsIn } from './start-stages.ts';

const CARD = '../../../devices/pci0000:00/0000:00:03.0';
const TWO_CARDS = {
  'sys/devices/pci0000:00/0000:00:03.0/subsystem': { link: '../../../bus/pci' },
  'sys/class/net/ens3/address': '52:54:00:00:00:01\n',
  'sys/class/net/ens3/device': { link: CARD },
  'sys/class/net/ens4/address': '52:54:00:00:00:02\n',
  'sys/class/net/ens4/device': { link: CARD },
  'sys/class/net/lo/address': '00:00:00:00:00:00\n',
} as const;
const DISK = { name: '/dev/vda', size: 10e9 } as Disk;

async function machine(
  answers: Readonly<Record<string, readonly FakeAnswer[]>>,
  commandLine = '',
  disks: readonly Disk[] = [DISK],
) {
  const conductor = await startFakeConductor(answers);
  onTestFinished(() => conductor.close());
  const hardware = createAgentHardware({
    disks,
    commandLine: `ipa-api-url=${conductor.url} ${commandLine.replaceAll('CONDUCTOR', conductor.url)}`,
    outputs: { lsblk: '{"blockdevices":[]}' },
  });
  const tree = makeTree(TWO_CARDS);
  // Waits are recorded and end a turn of the event loop later, so that deadlines can take effect.
  const waitsMs: number[] = [];
  const around: Surroundings = {
    tree,
    tokenFile: join(tree, 'run/ingot-agent/token'),
    identityFile: join(tree, 'run/ingot-agent/identity'),
    pause: (ms, signal) => {
      waitsMs.push(ms);
      return pause(0, signal);
    },
  };
  const start = async () => {
    const state = createState(hardware, around);
    await runStages(STAGES, state, hardware.log, new AbortController().signal);
    return state.found();
  };
  return { conductor, hardware, around, waitsMs, start };
}

const logOf = ({ log }: { log: { lines(): readonly string[] } }): string => log.lines().join('\n');

describe('start', () => {
  it('goes through its stages in order, to a node, a token and an address', async () => {
    const { start, conductor, hardware } = await machine({
      lookup: [lookupAnswer({ heartbeat_timeout: 60 })],
    });
    expect(await start()).toMatchObject({
      node: { uuid: NODE_UUID },
      token: TOKEN,
      heartbeatTimeoutMs: 60_000,
      callbackUrl: 'http://127.0.0.1:9999',
      listenHost: '0.0.0.0',
    });
    const log = logOf(hardware);
    const places = STAGES.map(({ name }) => log.indexOf(name));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(conductor.seen.map(({ path }) => path)).toEqual(['/v1/lookup']);
    expect(conductor.seen[0]?.query).toEqual({ addresses: '52:54:00:00:00:01,52:54:00:00:00:02' });
  });

  it('repeats the lookup until the node is found', async () => {
    const { start, conductor, waitsMs } = await machine({
      lookup: [refusal(404, 'Node was not found'), { cut: true }, refusal(409, 'locked'), lookupAnswer()],
    });
    expect((await start()).node.uuid).toBe(NODE_UUID);
    for (const [index, ms] of waitsMs.entries()) {
      expect(ms).toBeGreaterThanOrEqual(500 * 2 ** index);
      expect(ms).toBeLessThan(1_500 * 2 ** index);
    }
    expect(conductor.seen).toHaveLength(4);
  });

  it('fails at its deadline with the stage, the reason, and the MACs of the lookup', async () => {
    const { start } = await machine(
      { lookup: [refusal(404, 'Node was not found')] },
      'ipa-lookup-timeout=0.1',
    );
    await expect(start()).rejects.toThrow(
      '"looking this machine up" did not succeed: HTTP 404: Node was not found (no node that waits for its ramdisk has a port with 52:54:00:00:00:01 or 52:54:00:00:00:02)',
    );
  });

  it.each([
    ['', 'no ipa-api-url on the kernel command line'],
    ['ipa-api-url=mdns', 'ipa-api-url mdns is not an http(s) URL; this agent does not support mDNS'],
    ['ipa-api-url=ftp://192.0.2.1', 'ipa-api-url ftp://192.0.2.1 is not an http(s) URL'],
  ])('needs a conductor: "%s"', async (commandLine, message) => {
    const hardware = createAgentHardware({ commandLine });
    await expect(
      runStages(
        STAGES,
        createState(hardware, surroundingsIn('/nowhere')),
        hardware.log,
        new AbortController().signal,
      ),
    ).rejects.toThrow(`"preparing for the conductor" did not succeed: ${message}`);
  });

  it('continues without disks, with a log line', async () => {
    const { start, hardware } = await machine({ lookup: [lookupAnswer()] }, '', []);
    await start();
    expect(logOf(hardware)).toContain('warning: no disk was found');
  });

  it('looks for disks the configured number of times, until there is one', async () => {
    const slow = async (found: readonly Disk[][]) => {
      const { start, hardware, waitsMs } = await machine(
        { lookup: [lookupAnswer()] },
        'ipa-disk-wait-attempts=3 ipa-disk-wait-delay=7',
      );
      let looks = 0;
      Object.assign(hardware, { listDisks: async () => found[looks++] ?? [] });
      await start();
      return { looks, waitsMs, log: logOf(hardware) };
    };
    const late = await slow([[], [], [DISK]]);
    expect([late.looks, late.waitsMs]).toEqual([3, [7_000, 7_000]]);
    expect(late.log).toContain('disks: /dev/vda (10.0 GB)');
    const never = await slow([]);
    expect([never.looks, never.waitsMs]).toEqual([3, [7_000, 7_000, 7_000]]);
  });

  it('advertises the configured address', async () => {
    const { start } = await machine(
      { lookup: [lookupAnswer()] },
      'ipa-advertise-host=2001:db8::7 ipa-advertise-port=443 ipa-advertise-protocol=https ipa-listen-host=::',
    );
    expect(await start()).toMatchObject({ callbackUrl: 'https://[2001:db8::7]:443', listenHost: '::' });
  });
});

describe('inspection', () => {
  const INSPECT = 'ipa-inspection-callback-url=CONDUCTOR/v1/continue_inspection BOOTIF=01-52-54-00-00-00-01';

  it('is posted before the lookup, which then contains the uuid', async () => {
    const { start, conductor, waitsMs } = await machine(
      {
        continue_inspection: [{ cut: true }, { status: 202, body: { uuid: NODE_UUID } }],
        lookup: [lookupAnswer()],
      },
      `${INSPECT} ipa-inspection-collectors=default`,
    );
    await start();
    expect(waitsMs).toEqual([expect.toSatisfy((ms: number) => ms >= 1_000 && ms < 3_000)]);
    const [, posted, lookup] = conductor.seen;
    expect(posted?.body).toMatchObject({
      inventory: {
        boot: { pxe_interface: '52:54:00:00:00:01' },
        interfaces: [{ name: 'ens3' }, { name: 'ens4' }],
      },
      boot_interface: '01-52-54-00-00-00-01',
      configuration: { collectors: ['default'], managers: [] },
    });
    expect(lookup?.query['node_uuid']).toBe(NODE_UUID);
  });

  it('that is finally rejected ends the start', async () => {
    const { start } = await machine({ continue_inspection: [refusal(400, 'no such node')] }, INSPECT);
    await expect(start()).rejects.toThrow('"inspecting" did not succeed: HTTP 400: no such node');
  });
});

describe('the agent token', () => {
  it('is not in the log, and its file is readable only by root', async () => {
    const { start, hardware, around } = await machine({ lookup: [lookupAnswer()] });
    await start();
    hardware.log.error(`somebody says ${TOKEN}`);
    expect(logOf(hardware)).not.toContain(TOKEN);
    expect(statSync(around.tokenFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(around.tokenFile, 'utf8')).toContain(TOKEN);
  });

  it('survives a restart of the agent, although the conductor returns it only once', async () => {
    const { start } = await machine({ lookup: [lookupAnswer(), lookupAnswer({ agent_token: '******' })] });
    await start();
    expect((await start()).token).toBe(TOKEN);
  });

  it('of another node is not used', async () => {
    const other = lookupAnswer({ agent_token: '******' });
    const { start } = await machine({
      lookup: [
        lookupAnswer(),
        { body: { ...(other.body as object), node: { uuid: 'f22b9e5e-0000-4000-8000-000000000000' } } },
      ],
    });
    await start();
    await expect(start()).rejects.toThrow('has already given the token of this boot to another agent');
  });

  it('returned to another agent ends the start with advice', async () => {
    const { start } = await machine({ lookup: [lookupAnswer({ agent_token: '******' })] });
    await expect(start()).rejects.toThrow(/"looking this machine up" did not succeed: .* reboot the machine/);
  });

  it('of the kernel command line is used when the conductor returns none', async () => {
    const { start } = await machine(
      { lookup: [lookupAnswer({ agent_token: '******' })] },
      'ipa-agent-token=token-from-virtual-media',
    );
    expect((await start()).token).toBe('token-from-virtual-media');
  });
});

describe('a stage', () => {
  it('that takes too long is reported', async () => {
    const never = {
      name: 'waiting for Godot',
      limitMs: 20,
      run: (_: unknown, signal: AbortSignal) =>
        new Promise<void>((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('still not there'))),
        ),
    };
    const { log } = createAgentHardware({});
    await expect(runStages([never], {}, log, new AbortController().signal)).rejects.toThrow(
      '"waiting for Godot" did not succeed within 0.02 s: still not there',
    );
  });

  it('after a failed one is not run', async () => {
    const ran: string[] = [];
    const stage = (name: string, fails: boolean) => ({
      name,
      limitMs: 1_000,
      run: async () => {
        ran.push(name);
        if (fails) throw new Error('no');
      },
    });
    const { log } = createAgentHardware({});
    const stages = [stage('one', false), stage('two', true), stage('three', false)];
    await expect(runStages(stages, {}, log, new AbortController().signal)).rejects.toThrow('"two" did not');
    expect(ran).toEqual(['one', 'two']);
  });
});
