/**
 * Bad input that only the work itself detects: an unreachable BMC, a wrong image, errors that the agent finds. The
 * node goes into the matching failed state, last_error names the step and what to do, and the same verb with good
 * input works.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeBmc, startFakeBmc } from './fakes/bmc/fake-bmc.ts';
import { BMC_USER } from './fakes/bmc/test-ipmi.ts';
import { type FakeAgent, startFakeAgent } from './fakes/fake-agent.ts';
import {
  backedQcow2,
  type ImageServer,
  rawDisk,
  sha256Of,
  startImageServer,
  truncatedQcow2,
} from './fakes/image-files.ts';
import { createOperator, type Made, type Operator, patch, power, provision } from './fakes/operator.ts';
import { startTestConductor, type TestConductor } from './fakes/test-conductor.ts';

let test: TestConductor;
let operator: Operator;
let images: ImageServer;
let agent: FakeAgent;
let bmc: FakeBmc;
beforeAll(async () => {
  test = await startTestConductor();
  operator = createOperator(test.call);
  images = await startImageServer();
  agent = await startFakeAgent();
  bmc = await startFakeBmc(BMC_USER);
});
afterAll(async () => {
  await test[Symbol.asyncDispose]();
  await Promise.all([images[Symbol.asyncDispose](), agent[Symbol.asyncDispose](), bmc.stop()]);
});

async function closedUdpPort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  await once(socket, 'close');
  return port;
}

/** The node after a failure: not locked, and no operation runs. */
async function failed(made: Made, state: string) {
  await operator.reach(made, state);
  expect(await test.store.operations.current(made.node)).toBeUndefined();
  const { node } = await operator.seen(made);
  expect(node).toMatchObject({ reservation: null, target_power_state: null });
  return node;
}

const ipmi = (more: object) => ({
  driver: 'ipmi',
  fields: {
    driver_info: {
      ipmi_address: '127.0.0.1',
      ipmi_port: bmc.port,
      ipmi_username: BMC_USER.username,
      ipmi_password: BMC_USER.password,
      ...more,
    },
  },
});

describe('a BMC', () => {
  it.each<[string, () => object | Promise<object>, string[]]>([
    [
      'at which nothing listens',
      async () => ({ ipmi_port: await closedUdpPort() }),
      ['port closed', 'check driver_info.ipmi_address and ipmi_port', 'IPMI over LAN'],
    ],
    [
      'with another password',
      () => ({ ipmi_password: 'not-the-password' }),
      ['wrong password', 'check driver_info.ipmi_password'],
    ],
    [
      'with another user',
      () => ({ ipmi_username: 'nobody' }),
      ['unknown user', 'check driver_info.ipmi_username'],
    ],
  ])('%s fails manage, and the node is unchanged', async (_, wrong, says) => {
    const made = await operator.make(ipmi(await wrong()));
    const before = await operator.seen(made);
    await operator.ask(made, provision({ target: 'manage' }));
    const node = await failed(made, 'enroll');
    for (const words of ['verify step power.verify_power', 'BMC ', ...says])
      expect(node.last_error).toContain(words);
    expect(node.last_error).not.toContain('not-the-password');
    const { last_error: _1, updated_at: _2, provision_updated_at: _3, ...unchanged } = before.node;
    expect(node).toMatchObject({ ...unchanged, power_state: null, target_provision_state: null });

    const good = ipmi({}).fields.driver_info;
    await operator.ask(made, patch('/driver_info', good), provision({ target: 'manage' }));
    await operator.reach(made, 'manageable');
    expect((await operator.seen(made)).node).toMatchObject({ power_state: 'power off', last_error: null });
  });

  it('that is lost later fails a power change, and last_error says so', async () => {
    const made = await operator.make({ ...ipmi({}), verbs: ['manage'] });
    await operator.ask(made, patch('/driver_info/ipmi_port', await closedUdpPort()), power('power on'));
    const node = await failed(made, 'manageable');
    for (const words of ["power state to 'power on'", 'port closed', 'driver_info.ipmi_address'])
      expect(node.last_error).toContain(words);
    await operator.ask(made, patch('/driver_info/ipmi_port', bmc.port), power('power on'));
    await expect
      .poll(async () => (await operator.seen(made)).node, { interval: 5 })
      .toMatchObject({ power_state: 'power on', last_error: null });
  });
});

const deployable = (instance_info: object) => ({
  fields: { deploy_interface: 'direct', automated_clean: false, instance_info },
  verbs: ['manage', 'provide'] as const,
});

/** Deploys a good image through the agent and waits for the end. */
async function deployWell(made: Made): Promise<void> {
  await operator.ask(made, patch('/instance_info', goodImage()), provision({ target: 'active' }));
  await bootAgent(made);
  await operator.reach(made, 'active');
  expect((await operator.seen(made)).node).toMatchObject({ power_state: 'power on', last_error: null });
}

/** Waits until the image is ready and the machine is told to boot the ramdisk, then starts the agent. */
async function bootAgent(made: Made): Promise<void> {
  await expect
    .poll(async () => (await test.store.operations.current(made.node))?.waitingFor?.text, {
      interval: 5,
      timeout: 10_000,
    })
    .toBe('agent to call back');
  await agent.boot(test.ramdiskCall, made.node);
}

const goodImage = () => images.publish('good.raw', rawDisk());

describe('an image', () => {
  it.each<[string, () => object, string[]]>([
    [
      'that does not match its checksum',
      () => ({ ...images.publish('other.raw', rawDisk(1)), image_checksum: 'ab'.repeat(32) }),
      ['does not match', 'ab'.repeat(32), sha256Of(rawDisk(1)), 'image_checksum'],
    ],
    [
      'that does not exist',
      () => ({
        ...goodImage(),
        image_source: `${goodImage().image_source}.gone`,
        image_checksum: 'cd'.repeat(32),
      }),
      ['good.raw.gone', 'HTTP 404'],
    ],
    [
      'that is truncated',
      () => images.publish('cut.qcow2', truncatedQcow2()),
      ['refused', '65,536 bytes', 'its L1 table ends', 'image_source'],
    ],
    [
      'with a backing file',
      () => images.publish('backed.qcow2', backedQcow2()),
      ['refused', 'backing file', 'qemu-img convert', 'image_source'],
    ],
    [
      'with a wrong disk format',
      () => ({ ...goodImage(), image_disk_format: 'qcow2' }),
      ['refused', 'image_disk_format', 'says qcow2, but the file is raw'],
    ],
    [
      'that is not a whole-disk image',
      () => images.publish('part.raw', Buffer.alloc(65_536, 'x')),
      ['refused', 'no partition table'],
    ],
  ])(
    '%s fails the deployment before the machine is touched, and a good one works',
    async (_, wrong, says) => {
      const made = await operator.make(deployable(wrong()));
      await operator.ask(made, provision({ target: 'active' }));
      const node = await failed(made, 'deploy failed');
      for (const words of ['deploy step deploy.cache_image failed', ...says])
        expect(node.last_error).toContain(words);
      expect(node).toMatchObject({ power_state: 'power off', maintenance: false });
      await deployWell(made);
    },
  );
});

describe('errors of the agent', () => {
  it.each<[string, string, string, string]>([
    [
      'an image larger than the disk',
      'deploy.execute_deploy_step write_image',
      'deploy step deploy.write_image',
      'the image needs 64.0 GiB, but /dev/sda (8.0 GiB, serial S1) is smaller; choose a larger disk by properties.root_device',
    ],
    [
      'hints that match no disk',
      'deploy.execute_deploy_step write_image',
      'deploy step deploy.write_image',
      'no disk matches the root device hints (properties.root_device). /dev/sda (8.0 GiB, serial S1): serial is "S1", wanted "S2"',
    ],
    [
      'a boot loader that it can not install',
      'image.install_bootloader',
      'deploy step deploy.prepare_instance_boot',
      'no EFI system partition was found on /dev/sda',
    ],
    [
      'a disk with write errors',
      'standby.sync',
      'deploy step deploy.tear_down_agent',
      '/dev/sda: Input/output error',
    ],
    [
      'a list of steps that it can not return',
      'deploy.get_deploy_steps',
      'deploy step deploy.deploy',
      'the hardware manager broke',
    ],
  ])(
    '%s: last_error contains the step and the text of the agent, and a retry works',
    async (_, command, step, words) => {
      const made = await operator.make(deployable(goodImage()));
      agent.failures.set(command, words);
      agent.commands.length = 0;
      await operator.ask(made, provision({ target: 'active' }));
      await bootAgent(made);
      const node = await failed(made, 'deploy failed');
      expect(node.last_error).toContain(`${step} failed: `);
      expect(node.last_error).toContain(words);
      expect(node).toMatchObject({ power_state: 'power off', driver_internal_info: {}, maintenance: false });
      expect(agent.commands.at(-1)).toBe(command);
      agent.failures.clear();
      await deployWell(made);
    },
  );
});
