import { describe, expect, it } from 'vitest';
import { ProgramError, run } from './run.ts';

const NODE = process.execPath;
const script = (text: string, ...more: string[]) => ['-e', text, ...more];
const failure = (work: Promise<unknown>): Promise<ProgramError> =>
  work.then(
    () => Promise.reject(new Error('it worked')),
    (error) => error,
  );

describe('a program that succeeds', () => {
  it('returns its unchanged standard output and nothing else', async () => {
    expect(await run(NODE, script('console.log("out\\n"); console.error("err")'))).toBe('out\n\n');
    expect(await run(NODE, script(''))).toBe('');
  });

  it('gets its arguments unchanged: there is no shell', async () => {
    const words = ['$HOME', 'a b', '"', '; true', '*'];
    const shown = await run(NODE, script('console.log(JSON.stringify(process.argv.slice(1)))', ...words));
    expect(JSON.parse(shown)).toEqual(words);
  });

  it('gets its input', async () => {
    expect(await run('cat', [], { input: 'in\n' })).toBe('in\n');
  });

  it('gets PATH and the C locale, and no other variable', async () => {
    process.env['INGOT_TEST_SECRET'] = 'x';
    const seen = JSON.parse(await run(NODE, script('console.log(JSON.stringify(process.env))')));
    delete process.env['INGOT_TEST_SECRET'];
    expect(seen).toMatchObject({ LC_ALL: 'C', PATH: process.env['PATH'] });
    expect(seen).not.toHaveProperty('INGOT_TEST_SECRET');
  });
});

describe('a program that fails', () => {
  it('is reported with its error output and exit code', async () => {
    const error = await failure(
      run(NODE, script('console.log("half"); console.error("no disk"); process.exit(3)')),
    );
    expect(error).toBeInstanceOf(ProgramError);
    expect([error.program, error.exitCode]).toEqual([NODE, 3]);
    expect(error.message).toMatch(/ failed \(3\): no disk\nhalf$/);
  });

  it('is named when it does not exist', async () => {
    const error = await failure(run('no-such-program', ['-x']));
    expect([error.message, error.exitCode]).toEqual(['no-such-program -x failed (ENOENT)', null]);
  });

  it('is named with the signal that ended it', async () => {
    const error = await failure(
      run(NODE, script('process.kill(process.pid, "SIGTERM"); setTimeout(() => 0, 9e3)')),
    );
    expect(error.message).toMatch(/ failed \(SIGTERM\)$/);
  });

  it('is stopped when its time is over', async () => {
    const error = await failure(run('sleep', ['20'], { timeoutMs: 50 }));
    expect([error.message, error.exitCode]).toEqual(['sleep 20 was stopped after 0.05 s', null]);
  });

  it('is stopped when the work is aborted', async () => {
    const controller = new AbortController();
    const work = failure(run('sleep', ['20'], { signal: controller.signal }));
    controller.abort();
    expect((await work).message).toBe('sleep 20 failed (ABORT_ERR)');
  });

  it('is stopped when its output is too large', async () => {
    const error = await failure(run('head', ['-c', String(17 * 1024 * 1024), '/dev/zero']));
    expect(error.message).toMatch(
      /^head -c 17825792 \/dev\/zero failed \(ERR_CHILD_PROCESS_STDIO_MAXBUFFER\)/,
    );
    expect(error.message.length).toBeLessThan(1_000);
  });
});
