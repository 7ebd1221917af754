/**
 * Our conductor, started like an operator's: `ingot serve` on loopback.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONDUCTOR_NAME } from './oracle.ts';
import { freePort, type ServerProcess, startProcess, stopProcess, untilAnswers } from './server-process.ts';

/** As in the first line of bin/ingot.js. */
const NODE_FLAG = '--max-semi-space-size=16';
const PROGRAM = resolve(fileURLToPath(import.meta.url), '../../../bin/ingot.js');

/** `env` adds settings, as INGOT_* variables. */
export async function startOurs(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-conformance-'));
  const logPath = join(dir, 'ingot.log');
  const port = await freePort();
  const child = startProcess({
    file: process.execPath,
    args: [NODE_FLAG, PROGRAM, 'serve', '--data', join(dir, 'data'), '--listen', `127.0.0.1:${port}`],
    // Limits as short as in the settings of the Ironic under test.
    env: {
      PATH: process.env['PATH'] ?? '',
      INGOT_HOST: CONDUCTOR_NAME,
      INGOT_ENGINE_LOCK_QUEUE_SECONDS: '2',
      // The agents of these tests speak the old protocol, on loopback or with a documentation address (RFC 5737).
      INGOT_AGENT_CALLBACK_ALLOW: '127.0.0.0/8,192.0.2.0/24',
      INGOT_AGENT_ALLOW_PLAINTEXT: 'true',
      ...env,
    },
    logPath,
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  const startMs = await untilAnswers(child, `${baseUrl}/v1`, logPath);
  return {
    ...{ baseUrl, startMs, pid: child.pid as number, database: join(dir, 'data', 'ingot.db') },
    async stop() {
      await stopProcess(child);
      await rm(dir, { recursive: true, force: true });
    },
  };
}
