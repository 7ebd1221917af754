/**
 * `npm test`: every check and every test, stage by stage, with one closing line for all of them.
 *
 * Stages never overlap; each uses both cores.
 * Usage: node test/run.ts [stage ...]
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

const scratch = mkdtempSync(join(tmpdir(), 'ingot-test-'));
const wanted = process.argv.slice(2);
const stages = wanted.length === 0 ? STAGES : STAGES.filter((stage) => wanted.includes(stage.name));
const total: Count = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];

for (const stage of stages) {
  const began = Date.now();
  console.log(`\n== ${stage.name}`);
  const ok = await run(stage);
  console.log(`== ${stage.name}: ${ok ? 'ok' : 'FAILED'} in ${Math.round((Date.now() - began) / 1000)} s`);
  if (!ok) failures.push(stage.name);
}

rmSync(scratch, { recursive: true, force: true });
if (failures.length > 0) console.log(`\nfailed stages: ${failures.join(', ')}`);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = failures.length > 0 ? 1 : 0;

async function run(stage: Stage): Promise<boolean> {
  const report = join(scratch, `${stage.name}.json`);
  const reporters = stage.counted
    ? ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    : [];
  const code = await new Promise<number>((resolve, reject) => {
    const child = spawn(join('node_modules/.bin', stage.command), [...stage.args, ...reporters], {
      stdio: 'inherit',
    });
    const end = (): void => void child.kill('SIGTERM');
    process.once('SIGTERM', end);
    child.once('error', reject);
    child.once('exit', (status) => {
      process.off('SIGTERM', end);
      resolve(status ?? 1);
    });
  });
  const counted = stage.counted
    ? count(report)
    : { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
  total.passed += counted.passed;
  total.failed += counted.failed;
  total.skipped += counted.skipped;
  return code === 0 && counted.failed === 0;
}

/** A runner that ended without its report counts as one failure. */
function count(report: string): Count {
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
  const result = JSON.parse(readFileSync(report, 'utf8')) as Record<string, number>;
  const failedFiles = (result['numFailedTestSuites'] ?? 0) > 0 && result['numFailedTests'] === 0 ? 1 : 0;
  return {
    passed: result['numPassedTests'] ?? 0,
    failed: (result['numFailedTests'] ?? 0) + failedFiles,
    skipped: result['numPendingTests'] ?? 0,
  };
}
