/**
 * The unmodified `baremetal` client (Debian's python3-ironicclient) as an interactive shell: one Python for many
 * commands, each with what it printed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const CLIENT = ['/usr/bin/python3', '/usr/bin/baremetal'] as const;
/** A node of this name is asked for after each command: its absence ends the command's output. */
const MARK = 'end-of-command';
const MARKED = new RegExp(`^.*Node ${MARK} could not be found.*$`, 'm');
const COMMAND_MS = 60_000;

export interface Ran {
  readonly command: string;
  /** Answers and errors, as printed. */
  readonly output: string;
}

/**
 * Runs the commands one after the other in one client. `{port group}` in a command stands for the uuid that the
 * last `port group create` has shown. Throws when the client itself ends or hangs.
 */
export async function runBaremetal(endpoint: string, commands: readonly string[]): Promise<Ran[]> {
  const child = spawn(CLIENT[0], [CLIENT[1]], {
    env: {
      PATH: '/usr/bin:/bin',
      LANG: 'C.UTF-8',
      PYTHONUNBUFFERED: '1',
      OS_AUTH_TYPE: 'none',
      OS_ENDPOINT: endpoint,
    },
  });
  let text = '';
  let heard = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      heard.resolve();
    });
  }
  child.once('close', () => heard.reject(new Error(`the client ended:\n${text}`)));

  async function run(command: string): Promise<string> {
    const timer = setTimeout(
      () => heard.reject(new Error(`"${command}" took longer than ${COMMAND_MS / 1000} s:\n${text}`)),
      COMMAND_MS,
    );
    child.stdin.write(`${command}\nnode show ${MARK}\n`);
    while (!MARKED.test(text)) {
      await heard.promise;
      heard = Promise.withResolvers<void>();
    }
    clearTimeout(timer);
    const [output = '', ...rest] = text.split(MARKED);
    text = rest.join('');
    return output.trim();
  }

  const created = new Map<string, string>();
  const ran: Ran[] = [];
  try {
    for (const command of commands) {
      const filled = command.replaceAll(/\{([a-z ]+)\}/g, (_, noun: string) => created.get(noun) ?? '');
      const output = await run(filled);
      ran.push({ command: filled, output });
      const noun = /^(.+?) create /.exec(filled)?.[1];
      const uuid = /^\| uuid +\| (\S+)/m.exec(output)?.[1];
      if (noun !== undefined && uuid !== undefined) created.set(noun, uuid);
    }
    return ran;
  } finally {
    heard.promise.catch(() => undefined);
    const gone = once(child, 'close');
    child.stdin.end('quit\n');
    await gone;
  }
}
