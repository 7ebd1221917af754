/**
 * The deploy ramdisk agent: finds its conductor, reports the hardware and carries out the conductor's commands.
 *
 * The init script of the ramdisk starts it, and restarts it when it ends.
 */
import { readFile } from 'node:fs/promises';
import { createCommandLog } from './api/command-log.ts';
import { createServer } from './api/server.ts';
import { COMMANDS } from './commands.ts';
import { parseCommandLine } from './config.ts';
import { run } from './exec/run.ts';
import { createHeartbeatLoop } from './heartbeat.ts';
import { listDisks } from './inventory/disks.ts';
import { createLog, type Log } from './log.ts';
import { runStages } from './start.ts';
import { createState, STAGES, surroundingsIn } from './start-stages.ts';
import { VERSION } from './version.ts';

/** Other paths are set to run the agent outside a ramdisk. */
const CMDLINE = process.env['INGOT_AGENT_CMDLINE'] ?? '/proc/cmdline';
const RUN_DIR = process.env['INGOT_AGENT_RUN_DIR'] ?? '/run/ingot-agent';

async function main(log: Log): Promise<void> {
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => stopped.abort(new Error(signal)));
  const { config, remarks } = parseCommandLine(await readFile(CMDLINE, 'utf8'));
  if (config.agentToken !== null) log.conceal(config.agentToken);
  for (const remark of remarks) log.info(remark);
  log.info(`ingot agent ${VERSION}`);

  const hardware = {
    run,
    config,
    log,
    listDisks: () => listDisks(run),
    written: { device: undefined },
    trust: null,
  };
  const state = createState(hardware, surroundingsIn(RUN_DIR));
  await runStages(STAGES, state, log, stopped.signal);
  const { conductor, node, token, heartbeatTimeoutMs, callbackUrl, listenHost, trust } = state.found();

  let beat: () => void = () => undefined;
  const commands = createCommandLog({
    hardware,
    signal: stopped.signal,
    onEnd: () => beat(),
    node: () => node,
  });
  const server = createServer({
    commands,
    table: COMMANDS,
    token: () => token,
    startedAt: new Date(),
    trust,
  });
  await server.listen({ host: listenHost, port: config.listenPort });
  const heartbeats = createHeartbeatLoop({
    timeoutMs: heartbeatTimeoutMs,
    log,
    signal: stopped.signal,
    send: () =>
      conductor.heartbeat(
        node.uuid,
        {
          callbackUrl,
          version: `ingot/${VERSION}`,
          token,
          verifyCa: trust?.identity.certificate ?? null,
          status: null,
          statusMessage: null,
        },
        stopped.signal,
      ),
  });
  beat = heartbeats.beat;
  log.info(`waiting for commands at ${callbackUrl}`);
  await heartbeats.run();
  await server.close();
}

const log = createLog();
main(log).catch((error: Error) => {
  log.error(error.message);
  process.exitCode = 1;
});
