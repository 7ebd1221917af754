/**
 * A conductor inside a lab: `ingot serve`, like an operator's, on the lab's bridge.
 */
import type { ChildProcess } from 'node:child_process';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BRIDGE, type Lab } from './lab.ts';
import { createOperator, type Operator } from './operator.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
export const API_PORT = 6385;
export const API_URL = `http://127.0.0.1:${API_PORT}`;
const COMPUTE_LISTEN = '127.0.0.1:8774';
export const COMPUTE_URL = `http://${COMPUTE_LISTEN}`;
const START_TIMEOUT_MS = 30_000;

export interface LabConductor {
  readonly operator: Operator;
  readonly dataDir: string;
  readonly logPath: string;
  /** Puts an image where the conductor may read it; returns its `file://` URL. */
  offerImage(path: string): Promise<string>;
  lastLog(lines: number): Promise<string>;
  /** Kills the conductor like a crash; resolves when the process is gone. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

export async function startConductor(lab: Lab, ramdiskDir: string): Promise<LabConductor> {
  const dataDir = join(lab.dir, 'conductor');
  const images = join(lab.dir, 'images');
  const logPath = join(lab.dir, 'conductor.log');
  await mkdir(images);
  const socket = await lab.socketTo(API_PORT);
  const operator = createOperator(socket);
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const args = [
      'serve',
      '--data',
      dataDir,
      '--listen',
      `127.0.0.1:${API_PORT}`,
      '--compute-listen',
      COMPUTE_LISTEN,
      '--interface',
      BRIDGE,
      '--ramdisk',
      ramdiskDir,
    ];
    child = lab.spawn(process.execPath, [join(ROOT, 'bin/ingot.js'), ...args], {
      logPath,
      env: { INGOT_IMAGES_FILE_ALLOW: images, INGOT_BOOT_LIMIT_SCALE: '3' },
    });
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await answers(operator))) {
      if (child.exitCode !== null)
        throw new Error(`the conductor ended with code ${child.exitCode}; see ${logPath}`);
      if (Date.now() > deadline)
        throw new Error(`the conductor did not answer within ${START_TIMEOUT_MS / 1000} s; see ${logPath}`);
      await sleep(100);
    }
  }

  await start();
  return {
    operator,
    dataDir,
    logPath,
    start,
    lastLog: async (lines) =>
      (await readFile(logPath, 'utf8')).trimEnd().split('\n').slice(-lines).join('\n'),
    async offerImage(path) {
      await copyFile(path, join(images, 'image.qcow2'));
      return `file://${images}/image.qcow2`;
    },
    async kill() {
      const gone = new Promise((done) => child?.once('exit', done));
      child?.kill('SIGKILL');
      await gone;
    },
  };
}

const answers = (operator: Operator): Promise<boolean> =>
  operator.call('GET', '/v1').then(
    ({ status }) => status === 200,
    () => false,
  );
