import { expect, test } from 'vitest';
import { readReport } from './stage-report.ts';

const report = (testResults: object[], failed = 0): string =>
  JSON.stringify({ numPassedTests: 3, numFailedTests: failed, numPendingTests: 1, testResults });

test('counts the tests of a report in which all passed', () => {
  const passed = { name: '/root/a.test.ts', status: 'passed', message: '', assertionResults: [] };
  expect(readReport(report([passed]), '/root')).toEqual({ passed: 3, failed: 0, skipped: 1, failures: [] });
});

test('names each failed test with its file and its reason', () => {
  const file = {
    ...{ name: '/root/room/a.test.ts', status: 'failed', message: '' },
    assertionResults: [
      {
        fullName: 'leases expire',
        status: 'failed',
        failureMessages: ['AssertionError: 1 is not 2\nat a:1'],
      },
      { fullName: 'leases renew', status: 'passed' },
    ],
  };
  expect(readReport(report([file], 1), '/root')).toMatchObject({
    failed: 1,
    failures: ['room/a.test.ts > leases expire\n    AssertionError: 1 is not 2\n    at a:1'],
  });
});

test('counts a file that could not be loaded as one failure', () => {
  const file = { name: '/root/b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] };
  expect(readReport(report([file]), '/root')).toMatchObject({
    failed: 1,
    failures: ['b.test.ts\n    no such module'],
  });
});

test('shortens a long reason and says by how much', () => {
  const file = {
    ...{ name: '/root/b.test.ts', status: 'failed', assertionResults: [] },
    message: Array.from({ length: 15 }, (_, line) => `line ${line}`).join('\n'),
  };
  const [failure] = readReport(report([file]), '/root').failures;
  expect(failure).toContain('line 11\n');
  expect(failure).not.toContain('line 12');
  expect(failure).toContain('(3 more lines)');
});
