/**
 * `ingot config reference`: prints all settings as a page.
 */
import { Command } from 'commander';
import { referencePage } from '../config/reference.ts';

export function configCommand(): Command {
  return new Command('config').description('Documentation of the settings').addCommand(
    new Command('reference').description('Print docs/configuration.md').action(() => {
      process.stdout.write(referencePage());
    }),
  );
}
