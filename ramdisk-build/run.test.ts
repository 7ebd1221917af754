import { afterEach, expect, it, vi } from 'vitest';
import { run } from './run.ts';

afterEach(() => vi.unstubAllEnvs());

it('a program sees nothing of the environment that it does not need', async () => {
  vi.stubEnv('INGOT_KEYSTONE_PASSWORD', 'PLANTED');
  vi.stubEnv('http_proxy', 'http://proxy.example:3128');
  const text = await run(process.execPath, ['-e', 'console.log(JSON.stringify(process.env))'], {
    env: { EXTRA: '1' },
  });
  const names = Object.keys(JSON.parse(text) as object).toSorted();
  const allowed = [
    'EXTRA',
    'HOME',
    'LANG',
    'LC_ALL',
    'PATH',
    'TMPDIR',
    'TZ',
    'http_proxy',
    'https_proxy',
    'no_proxy',
  ];
  expect(names.filter((name) => !allowed.includes(name))).toEqual([]);
  expect(names).toEqual(expect.arrayContaining(['EXTRA', 'LC_ALL', 'PATH', 'http_proxy']));
});
