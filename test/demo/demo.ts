/**
 * `npm run demo`: the main task from start to end. A virtual server with a BMC is enrolled, inspected,
 * cleaned and deployed over the network, and reaches its own login prompt.
 *
 * Exits with 0 on success. Everything that was started is stopped, also on Ctrl-C and on failure.
 */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startConductor } from '../lab/conductor.ts';
import { CACHE_DIR, prepareIngredients } from '../lab/ingredients.ts';
import { type Lab, type LabMachine, startLab } from '../lab/lab.ts';
import type { Operator, Timeline } from '../lab/operator.ts';
import { createProgressLine, describeTimeline } from './progress.ts';
import { timelineTable } from './timeline-table.ts';

const HOST_NAME = 'demo-server';
const MAC = '52:54:00:83:00:01';
/** Emulation is slow, so these limits are far above all observed times. */
const STATE_TIMEOUT_MS = 600_000;
const RESULT_DIR = join(CACHE_DIR, 'demo');

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => stopped.abort(new Error(`stopped by ${signal}`)));
}
const line = createProgressLine(process.stdout);
let lab: Lab | undefined;
let stage = 'building the ramdisk and the test operating system';

async function demo(): Promise<void> {
  const began = Date.now();
  const firmware = process.argv.includes('--uefi') ? 'uefi' : 'bios';
  const { ramdisk, ramdiskDir, osImage } = await prepareIngredients(stopped.signal, line.update);
  line.say(
    `ramdisk: ${megabytes(ramdisk.kernel.bytes + ramdisk.ramdisk.bytes)} with its kernel${ramdisk.cached ? ' (from the cache)' : ''}`,
  );
  line.say(
    `test OS image: ${megabytes(osImage.bytes)} qcow2, ${megabytes(osImage.virtualSizeBytes)} on disk`,
  );

  stage = 'starting the lab and the conductor';
  lab = await startLab([{ name: 'server', firmware, mac: MAC, bootOrder: 'disk-first' }]);
  const machine = lab.machine('server');
  const conductor = await startConductor(lab, ramdiskDir);
  line.say(
    `a ${firmware.toUpperCase()} server with a blank disk and a BMC; conductor log ${conductor.logPath}`,
  );

  const node = await runLife(conductor.operator, machine, await conductor.offerImage(osImage.path));
  stage = 'waiting for the login prompt of the deployed system';
  line.update(stage);
  const prompt = await machine.console.waitFor(new RegExp(`^${HOST_NAME} login:`, 'm'), {
    timeoutMs: STATE_TIMEOUT_MS,
    signal: stopped.signal,
  });
  const timeline = await conductor.operator.timeline(node);
  const login = { at: new Date(), text: prompt[0] };
  line.say(`login prompt: "${prompt[0]}"`);
  line.end();

  await mkdir(RESULT_DIR, { recursive: true });
  await copyFile(machine.consolePath, join(RESULT_DIR, 'console.log'));
  console.log(`\n${timelineTable(deployOnly(timeline), login)}\n`);
  console.log(
    `The console is in ${join(RESULT_DIR, 'console.log')}; the demo took ${((Date.now() - began) / 1000).toFixed(0)} s.`,
  );
}

async function runLife(operator: Operator, machine: LabMachine, imageUrl: string): Promise<string> {
  const { address, port, username, password } = machine.bmc;
  stage = 'enrolling the server';
  const node = await operator.enroll({
    name: 'server',
    driver: 'ipmi',
    mac: machine.mac,
    driverInfo: { ipmi_address: address, ipmi_port: port, ipmi_username: username, ipmi_password: password },
  });
  line.say(`enrolled as ${node}`);
  const verbs = [
    { target: 'manage', state: 'manageable', doing: 'verifying the BMC' },
    { target: 'inspect', state: 'manageable', doing: 'inspecting the server' },
    { target: 'provide', state: 'available', doing: 'cleaning the server' },
    { target: 'active', state: 'active', doing: 'deploying the operating system' },
  ];
  for (const { target, state, doing } of verbs) {
    stage = doing;
    const deploys = target === 'active';
    if (deploys) await operator.patch(node, { '/instance_info/image_source': imageUrl });
    await operator.provision(node, target, deploys ? { configdrive: configDrive() } : {});
    await operator.waitForState(node, state, {
      timeoutMs: STATE_TIMEOUT_MS,
      signal: stopped.signal,
      onTimeline: (timeline) => line.update(describeTimeline(timeline)),
    });
    line.say(`${doing}: done, the node is ${state}`);
  }
  return node;
}

const configDrive = () => ({
  meta_data: {
    hostname: HOST_NAME,
    public_keys: {
      demo: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDemoDemoDemoDemoDemoDemoDemoDemoDemoDemoDemo demo',
    },
  },
  user_data: '#!/bin/true written by the demo',
});

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** The table covers power-on to login; earlier events are left out. */
function deployOnly(timeline: Timeline): Timeline {
  const operations = timeline.operations.filter((one) => one.kind === 'deploy');
  const since = operations[0]?.started_at ?? '';
  return { ...timeline, operations, sightings: timeline.sightings.filter((one) => one.at >= since) };
}

async function explain(in_: Lab): Promise<void> {
  const tail = await in_.machine('server').console.lastLines(20);
  console.error(
    tail === '' ? 'The server wrote nothing on its console.' : `\nThe last lines of its console:\n${tail}`,
  );
  await mkdir(RESULT_DIR, { recursive: true });
  for (const [from, to] of [
    [in_.machine('server').consolePath, 'console.log'],
    [join(in_.dir, 'conductor.log'), 'conductor.log'],
  ] as const) {
    await copyFile(from, join(RESULT_DIR, to)).catch(() => console.error(`${to} was not written`));
  }
  console.error(`\nConsole and conductor log are in ${RESULT_DIR}.`);
}

try {
  await demo();
} catch (error) {
  line.end();
  process.exitCode = 1;
  console.error(`\nThe demo stopped while ${stage}: ${(error as Error).message}`);
  if (lab !== undefined) await explain(lab);
} finally {
  await lab?.stop();
}
