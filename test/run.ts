/**
 * `npm test`: runs all checks and tests, stage by stage, and prints one summary line at the end.
 *
 * Stages never overlap; each uses both cores.
 *
 * Usage: node test/run.ts [stage ...]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readReport, type StageReport } from './stage-report.ts';

interface Stage {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Set for vitest projects, whose results are counted. */
  readonly counted?: true;
}

const vitest = (project: string, ...more: string[]): Stage => ({
  name: project,
  command: 'vitest',
  args: ['run', '--project', project, ...more],
  counted: true,
});

const STAGES: readonly Stage[] = [
  { name: 'types', command: 'tsc', args: ['-b'] },
  { name: 'lint', command: 'biome', args: ['check', '.'] },
  vitest('unit', '--maxWorkers=100%'),
  vitest('protocol'),
  vitest('lab'),
];

const NOTHING: StageReport = { passed: 0, failed: 0, skipped: 0, failures: [] };
const LAST_LINES = 60;

const scratch = mkdtempSync(join(tmpdir(), 'ingot-test-'));
const wanted = process.argv.slice(2);
const stages = wanted.length === 0 ? STAGES : STAGES.filter((stage) => wanted.includes(stage.name));
const total = { passed: 0, failed: 0, skipped: 0 };
const failedStages: string[] = [];
const failures: string[] = [];

for (const stage of stages) {
  const began = Date.now();
  console.log(`\n== ${stage.name}`);
  const ok = await run(stage);
  console.log(`== ${stage.name}: ${ok ? 'ok' : 'FAILED'} in ${Math.round((Date.now() - began) / 1000)} s`);
  if (!ok) failedStages.push(stage.name);
}

rmSync(scratch, { recursive: true, force: true });
if (failedStages.length > 0) {
  // Repeated at the end, because only the last lines of a long run may be kept.
  console.log(`\nfailed stages: ${failedStages.join(', ')}`);
  for (const failure of failures) console.log(`\n- ${failure}`);
}
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = failedStages.length > 0 ? 1 : 0;

async function run(stage: Stage): Promise<boolean> {
  const report = join(scratch, `${stage.name}.json`);
  const reporters = stage.counted
    ? ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    : [];
  const { code, lastLines } = await runProgram(join('node_modules/.bin', stage.command), [
    ...stage.args,
    ...reporters,
  ]);
  const outcome = stage.counted ? read(report) : { ...NOTHING, passed: code === 0 ? 1 : 0 };
  total.passed += outcome.passed;
  total.failed += outcome.failed;
  total.skipped += outcome.skipped;
  failures.push(...outcome.failures);
  const ok = code === 0 && outcome.failed === 0;
  // No test failed: a compiler or linter found an error, an error occurred outside of all tests, or the runner
  // crashed.
  if (!ok && outcome.failures.length === 0) {
    total.failed += 1;
    failures.push(`${stage.name} ended with exit code ${code}; its last lines:\n${lastLines.join('\n')}`);
  }
  return ok;
}

function read(report: string): StageReport {
  return existsSync(report) ? readReport(readFileSync(report, 'utf8'), process.cwd()) : NOTHING;
}

/** Shows what the program prints while it runs, and keeps the last lines. */
async function runProgram(
  program: string,
  args: readonly string[],
): Promise<{ code: number; lastLines: readonly string[] }> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: process.stdout.isTTY ? { FORCE_COLOR: '1', ...process.env } : process.env,
  });
  const end = (): void => void child.kill('SIGTERM');
  process.once('SIGTERM', end);
  const lastLines: string[] = [];
  const show = (stream: NodeJS.ReadableStream, out: NodeJS.WritableStream): void =>
    void stream.setEncoding('utf8').on('data', (text: string) => {
      out.write(text);
      lastLines.push(...text.split('\n').filter((line) => line !== ''));
      lastLines.splice(0, lastLines.length - LAST_LINES);
    });
  show(child.stdout, process.stdout);
  show(child.stderr, process.stderr);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { code: code ?? 1, lastLines };
  } finally {
    process.off('SIGTERM', end);
  }
}
