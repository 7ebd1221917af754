/** Gives each test file its own temporary directory, so that tests that list it see no files of other tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const before = tmpdir();
const own = mkdtempSync(join(before, 'ingot-test-'));
process.env['TMPDIR'] = own;

afterAll(() => {
  process.env['TMPDIR'] = before;
  rmSync(own, { recursive: true, force: true });
});
