/**
 * docs/api.md lists the intended differences; `vitest run --project unit <this file> -u` updates the list.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { INTENDED_DIFFERENCES } from './intended-differences.ts';

const PAGE = new URL('../../docs/api.md', import.meta.url).pathname;
const LIST = /(?<=\nIn detail, [^\n]+\n\n)(- [^\n]+\n)+/;

it('docs/api.md lists exactly the intended differences', async () => {
  const page = readFileSync(PAGE, 'utf8');
  expect(page).toMatch(LIST);
  const reasons = new Set(INTENDED_DIFFERENCES.map(({ reason }) => `- ${reason}.\n`));
  await expect(page.replace(LIST, () => [...reasons].join(''))).toMatchFileSnapshot(PAGE);
});
