/**
 * The `ingot` program: its commands, and how their failures are reported.
 */
import { Command, CommanderError } from 'commander';
import { IngotError } from '../domain/errors.ts';
import { configCommand } from './config-command.ts';
import { CommandFailure } from './failure.ts';
import { type RotateSecrets, secretsCommand } from './secrets-command.ts';
import { type CreateApp, serveCommand } from './serve-command.ts';
import { versionText } from './version.ts';
import { watchCommand } from './watch-command.ts';

/** Parts of the program that are loaded only by the command that needs them. */
export interface Parts {
  readonly createApp: () => Promise<CreateApp>;
  readonly rotateSecrets: () => Promise<RotateSecrets>;
  readonly apiDocument: () => Promise<string>;
  readonly computeDocument: () => Promise<string>;
  readonly ramdiskCommand: () => Promise<Command>;
}

/** Runs a command line and returns its exit code. */
export async function main(argv: readonly string[], parts: Parts): Promise<number> {
  const program = new Command('ingot')
    .description('Bare-metal provisioning: conductor, network boot and deploy ramdisk in one program')
    .version(versionText(), '-V, --version')
    .exitOverride()
    .addCommand(serveCommand(parts.createApp))
    .addCommand(watchCommand())
    .addCommand(secretsCommand(parts.rotateSecrets))
    .addCommand(configCommand())
    .addCommand(openApiCommand(parts))
    .addCommand(versionCommand());
  try {
    // Its modules are loaded only for this command and for help.
    if (argv[2] === 'ramdisk' || argv[2] === 'help' || argv.includes('--help') || argv.includes('-h')) {
      program.addCommand(await parts.ramdiskCommand());
    }
    for (const command of program.commands) command.exitOverride();
    await program.parseAsync([...argv]);
    return 0;
  } catch (error) {
    return exitCodeOf(error);
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode;
  if (error instanceof CommandFailure) {
    process.stderr.write(`ingot: ${error.message}\n`);
    return error.exitCode;
  }
  if (error instanceof IngotError) {
    process.stderr.write(`ingot: ${error.message}\n`);
    return 1;
  }
  process.stderr.write(`ingot: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}

function versionCommand(): Command {
  return new Command('version').description('Print the version').action(() => {
    process.stdout.write(`${versionText()}\n`);
  });
}

function openApiCommand({ apiDocument, computeDocument }: Parts): Command {
  return new Command('openapi')
    .description('Print the OpenAPI 3.1 document of the bare-metal API')
    .option('--compute', 'that of the compute façade')
    .action(async ({ compute }: { readonly compute?: true }) => {
      process.stdout.write(await (compute ? computeDocument() : apiDocument()));
    });
}
