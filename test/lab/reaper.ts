/**
 * Ends a lab when its owner goes without doing so: by Ctrl-C, a crash, or SIGKILL. Usage: node reaper.ts DIR
 * Standard input is a pipe only the owner holds; its end is the owner's end.
 */
import { endLab } from './ownership.ts';

process.stdin.resume();
process.stdin.once('end', () => endLab(process.argv[2]!));
