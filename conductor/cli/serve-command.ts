/**
 * `ingot serve`: runs a conductor until a signal stops it.
 *
 * Exit codes: 0 stopped by a signal, 1 failed, 2 invalid configuration.
 */
import { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { printConfig } from '../config/reference.ts';
import { addConfigOptions, readConfig, requireConfig } from './config-source.ts';

/** What conductor/app creates from a configuration. */
interface RunningApp {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Undefined: nothing can be read again. */
  reload?: () => void;
}
export type CreateApp = (config: Config) => RunningApp | Promise<RunningApp>;

/** If stopping takes longer, the process exits anyway, so that a supervisor does not wait for ever. */
const STOP_LIMIT_MS = 30_000;

export function serveCommand(loadApp: () => Promise<CreateApp>): Command {
  const command = new Command('serve')
    .description('Run the conductor: API, DHCP, TFTP, HTTP boot and the engine')
    .option('--print-config', 'Print every setting with its value and the source of the value, and exit');
  return addConfigOptions(command).action(async (options: Record<string, unknown>) => {
    const loaded = await readConfig(options);
    if (options['printConfig'] === true) process.stdout.write(printConfig(loaded.resolved));
    const config = requireConfig(loaded);
    if (options['printConfig'] !== true) await serve(config, loadApp);
  });
}

async function serve(config: Config, loadApp: () => Promise<CreateApp>): Promise<void> {
  const createApp = await loadApp();
  const app = await createApp(config);
  const stopAsked = nextSignal();
  try {
    await app.start();
  } catch (error) {
    // Services that did start would keep the process running.
    await stopInTime(app).catch((cause: unknown) => process.stderr.write(`ingot: stopping: ${cause}\n`));
    throw error;
  }
  const { reload } = app;
  // Without this, the end of its terminal ends the conductor.
  if (reload !== undefined) process.on('SIGHUP', () => reload());
  await stopAsked;
  await stopInTime(app);
}

async function stopInTime(app: RunningApp): Promise<void> {
  const limit = setTimeout(() => {
    process.stderr.write(`ingot: did not stop within ${STOP_LIMIT_MS / 1000} s, giving up\n`);
    process.exit(1);
  }, STOP_LIMIT_MS);
  try {
    await app.stop();
  } finally {
    clearTimeout(limit);
  }
}

/** Further signals are ignored while the conductor stops. */
function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
}
