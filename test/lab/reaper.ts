/**
 * Ends a lab when its owner exits without doing so: by Ctrl-C, a crash, or SIGKILL. Usage: node reaper.ts DIR
 * Standard input is a pipe that only the owner holds open; end of file means that the owner is gone.
 */
import { endLab } from './ownership.ts';

process.stdin.resume();
process.stdin.once('end', () => endLab(process.argv[2]!));
