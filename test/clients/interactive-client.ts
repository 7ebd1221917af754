/**
 * An unmodified OpenStack command-line client as an interactive shell: one Python process for many commands, with the
 * output of each.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Debian's clients need Debian's Python, whatever comes first in PATH. */
const PYTHON = '/usr/bin/python3';
const COMMAND_MS = 60_000;
const UNTIL_MS = 15_000;

export interface Ran {
  readonly command: string;
  /** Answers and errors, as printed. */
  readonly output: string;
}

export interface InteractiveClient {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  /** A request for something that does not exist: its error message marks the end of the previous command's output. */
  readonly mark: { readonly command: string; readonly answer: RegExp };
}

/** `until`: the command is repeated until it prints this, or its time is over. */
export interface Command {
  readonly command: string;
  readonly until?: RegExp;
}

/**
 * Runs the commands one after the other in one client. `{port group}` in a command is replaced by the id that the
 * last `port group create` has printed. Throws if the client exits or hangs.
 */
export async function runCommands(
  { program, env, mark }: InteractiveClient,
  commands: readonly Command[],
): Promise<Ran[]> {
  const child = spawn(PYTHON, [program], {
    env: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', PYTHONUNBUFFERED: '1', COLUMNS: '400', ...env },
  });
  let text = '';
  let heard = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      heard.resolve();
    });
  }
  const gone = once(child, 'close').then(() => heard.reject(new Error(`the client ended:\n${text}`)));

  async function run(command: string): Promise<string> {
    const timer = setTimeout(
      () => heard.reject(new Error(`"${command}" took longer than ${COMMAND_MS / 1000} s:\n${text}`)),
      COMMAND_MS,
    );
    child.stdin.write(`${command}\n${mark.command}\n`);
    while (!mark.answer.test(text)) {
      await heard.promise;
      heard = Promise.withResolvers<void>();
    }
    clearTimeout(timer);
    const [output = '', ...rest] = text.split(mark.answer);
    text = rest.join('');
    return output.trim();
  }

  const created = new Map<string, string>();
  const ran: Ran[] = [];
  try {
    for (const { command, until } of commands) {
      const filled = command.replaceAll(/\{([a-z ]+)\}/g, (_, noun: string) => created.get(noun) ?? '');
      const deadline = Date.now() + UNTIL_MS;
      let output = await run(filled);
      while (until !== undefined && !until.test(output) && Date.now() < deadline) output = await run(filled);
      ran.push({ command: filled, output });
      const noun = /^(.+?) create /.exec(filled)?.[1];
      const id = /^\| (?:uuid|id) +\| (\S+)/m.exec(output)?.[1];
      if (noun !== undefined && id !== undefined) created.set(noun, id);
    }
    return ran;
  } finally {
    heard.promise.catch(() => undefined);
    child.stdin.on('error', () => undefined);
    child.stdin.end('quit\n');
    await gone;
  }
}
