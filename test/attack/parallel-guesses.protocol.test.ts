/** 300 guesses of a password at the same time: 20 are checked. Others, and those who know the password, go on. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { expect, it } from 'vitest';
import { startAttackedConductor } from './attacked-conductor.ts';
import { createHttpCaller, type HttpCall } from './http-caller.ts';

const GUESSES = 300;
const basic = (password: string) => ({
  headers: { authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}` },
});

it('parallel guesses are counted before they are checked', async () => {
  await using conductor = await startAttackedConductor();
  await conductor.stop();
  const users = join(conductor.dir, 'users');
  await writeFile(users, `ada:${hashSync('lovelace', 8)}\n`);
  await conductor.start({ api: { auth: 'http_basic', htpasswd_file: users } });

  const from = (localAddress: string): HttpCall =>
    createHttpCaller(conductor.apiUrl, undefined, { localAddress });
  const [operator, attacker] = [from('127.0.0.1'), from('127.0.0.66')];
  const ask = async (call: HttpCall, password: string) =>
    (await call('GET', '/v1/nodes', basic(password))).status;
  expect(await ask(operator, 'lovelace')).toBe(200);

  const guesses = Array.from({ length: GUESSES }, (_, nth) => ask(attacker, `guess-${nth}`));
  expect(await ask(operator, 'lovelace')).toBe(200);
  const statuses = await Promise.all(guesses);
  const checked = statuses.filter((status) => status === 401);
  expect(checked).toHaveLength(20);
  expect(await ask(attacker, 'one-more')).toBe(429);
  expect(await ask(operator, 'lovelace')).toBe(200);
}, 60_000);

it('many log-ins at once with the right password all work', async () => {
  await using conductor = await startAttackedConductor();
  await conductor.stop();
  const users = join(conductor.dir, 'users');
  await writeFile(users, `ada:${hashSync('lovelace', 8)}\n`);
  await conductor.start({ api: { auth: 'http_basic', htpasswd_file: users } });
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => conductor.api('GET', '/v1/nodes', basic('lovelace'))),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
}, 60_000);
