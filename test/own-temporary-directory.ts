/** Gives each test file a temporary directory of its own: those that look at what is left there see no other test's. */
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
