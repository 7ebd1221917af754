/**
 * The only place of the agent that starts programs: with an argument array, a deadline and a limit on the output;
 * never through a shell.
 */
import { execFile } from 'node:child_process';

export interface RunOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly input?: string;
}

export class ProgramError extends Error {
  readonly program: string;
  readonly exitCode: number | null;

  constructor(program: string, exitCode: number | null, message: string) {
    super(message);
    this.name = 'ProgramError';
    this.program = program;
    this.exitCode = exitCode;
  }
}

const OUTPUT_LIMIT = 16 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 60_000;

export type Run = (program: string, args: readonly string[], options?: RunOptions) => Promise<string>;

/** Returns standard output. Throws ProgramError with the program's error output. */
export const run: Run = (program, args, options = {}) =>
  new Promise((resolve, reject) => {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, signal, input } = options;
    const child = execFile(
      program,
      [...args],
      {
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: OUTPUT_LIMIT,
        env: { PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
        ...(signal === undefined ? {} : { signal }),
      },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const code = typeof error.code === 'number' ? error.code : null;
        const said = `${stderr}${stdout}`.trim().slice(-500);
        const how = error.killed
          ? `was stopped after ${timeoutMs / 1000} s`
          : `failed (${code ?? error.code ?? error.signal})`;
        reject(
          new ProgramError(
            program,
            code,
            `${program} ${args.join(' ')} ${how}${said === '' ? '' : `: ${said}`}`,
          ),
        );
      },
    );
    if (input !== undefined) child.stdin?.end(input);
  });
