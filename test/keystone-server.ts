/**
 * Debian's Keystone on loopback with its own database in a temporary directory, and a client with admin rights.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PYTHON = '/usr/bin/python3';
const MANAGE = '/usr/bin/keystone-manage';
const SERVE = '/usr/bin/keystone-wsgi-public';
const START_LIMIT_MS = 60_000;
const WRITE_AHEAD = 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("pragma journal_mode=wal")';
const ADMIN_PASSWORD = 'admin-password';

export type Scope = { readonly system: true } | { readonly project: string } | null;

export interface KeystoneServer extends AsyncDisposable {
  readonly url: string;
  /** Calls its API as administrator: `roles`, `{role: {...}}`. Throws unless the call succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
  admin(method: string, path: string, body?: object): Promise<any>;
  /** A token for this user: for a project by name, for the system, or unscoped. */
  logIn(user: string, password: string, scope: Scope): Promise<string>;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function prepare(dir: string): Promise<string> {
  const config = join(dir, 'keystone.conf');
  const database = join(dir, 'keystone.db');
  const keys = (section: string) => `[${section}]\nkey_repository = ${join(dir, section)}\n`;
  await writeFile(
    config,
    `[DEFAULT]\nlog_file = ${join(dir, 'keystone.log')}\n` +
      `[database]\nconnection = sqlite:///${database}\n` +
      `[token]\nprovider = fernet\n[identity]\npassword_hash_rounds = 4\n` +
      ['fernet_tokens', 'fernet_receipts', 'credential'].map(keys).join(''),
  );
  const { username, gid } = userInfo();
  const owner = ['--keystone-user', username, '--keystone-group', String(gid)];
  const manage = (...args: string[]) => run(PYTHON, [MANAGE, '--config-file', config, ...args]);
  await manage('db_sync');
  // Keystone reads while it writes, which SQLite supports only in this mode. The file keeps the mode.
  await run(PYTHON, ['-c', WRITE_AHEAD, database]);
  for (const set of ['fernet_setup', 'receipt_setup', 'credential_setup']) await manage(set, ...owner);
  await manage('bootstrap', '--bootstrap-password', ADMIN_PASSWORD);
  return config;
}

async function answers(url: string, child: ChildProcess, log: string): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const response = await fetch(`${url}/v3`).catch(() => undefined);
    if (response?.ok === true) return;
    await sleep(200);
  }
  throw new Error(`Keystone did not start: ${await readFile(log, 'utf8').catch(() => 'it wrote no log')}`);
}

export async function startKeystone(): Promise<KeystoneServer> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-keystone-'));
  const config = await prepare(dir);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [SERVE, '--host', '127.0.0.1', '--port', String(port), '--', '--config-file', config];
  const child = spawn(PYTHON, args, { stdio: 'ignore' });
  const ended = new Promise((done) => child.once('exit', done));

  async function call(method: string, path: string, token: string | null, body?: object): Promise<Response> {
    const response = await fetch(`${url}/v3/${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === null ? {} : { 'x-auth-token': token }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  async function logIn(name: string, password: string, scope: Scope): Promise<string> {
    const domain = { name: 'Default' };
    const auth = {
      identity: { methods: ['password'], password: { user: { name, domain, password } } },
      scope:
        scope === null
          ? 'unscoped'
          : 'system' in scope
            ? { system: { all: true } }
            : { project: { name: scope.project, domain } },
    };
    const response = await call('POST', 'auth/tokens', null, { auth });
    return response.headers.get('x-subject-token') ?? '';
  }

  async function stop(): Promise<void> {
    child.kill();
    await ended;
    await rm(dir, { recursive: true, force: true });
  }

  try {
    await answers(url, child, join(dir, 'keystone.log'));
    const token = await logIn('admin', ADMIN_PASSWORD, { system: true });
    return {
      url,
      logIn,
      async admin(method, path, body) {
        const text = await (await call(method, path, token, body)).text();
        return text === '' ? undefined : JSON.parse(text);
      },
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
