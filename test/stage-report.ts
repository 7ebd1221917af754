/** What a vitest JSON report says: how many tests passed, failed and were skipped, and which failed and why. */

export interface StageReport {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** One text for each failed test or file: its file, its full name and the first lines of each reason. */
  readonly failures: readonly string[];
}

interface JsonReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly JsonFile[];
}

interface JsonFile {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages?: readonly string[];
  }[];
}

const REASON_LINES = 12;

/** `root`: the directory that file names are shown relative to. */
export function readReport(json: string, root: string): StageReport {
  const report = JSON.parse(json) as JsonReport;
  const failed = report.testResults.filter((file) => file.status === 'failed');
  const failures = failed.flatMap((file) => failuresOf(file, root));
  return {
    passed: report.numPassedTests,
    failed: Math.max(report.numFailedTests, failures.length),
    skipped: report.numPendingTests,
    failures,
  };
}

/** A file that could not be loaded, or whose hook failed, has a message and no failed test. */
function failuresOf(file: JsonFile, root: string): string[] {
  const name = file.name.startsWith(`${root}/`) ? file.name.slice(root.length + 1) : file.name;
  const tests = file.assertionResults.filter((test) => test.status === 'failed');
  if (tests.length === 0) return [`${name}\n${indented(file.message)}`];
  return tests.map(
    (test) => `${name} > ${test.fullName}\n${(test.failureMessages ?? []).map(indented).join('\n')}`,
  );
}

function indented(text: string): string {
  const lines = text.split('\n');
  const more = lines.length > REASON_LINES ? [`(${lines.length - REASON_LINES} more lines)`] : [];
  return [...lines.slice(0, REASON_LINES), ...more].map((line) => `    ${line}`).join('\n');
}
