/**
 * Sends the same requests to real Ironic and to our conductor. Status, headers and bodies agree, except for reviewed
 * differences.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareAnswers, type Difference, describeDifferences, judge } from './compare.ts';
import { INTENDED_DIFFERENCES } from './intended-differences.ts';
import { KNOWN_DIFFERENCES } from './known-differences.ts';
import { startOracle } from './oracle.ts';
import { startOurs } from './ours.ts';
import { exchangesOf, readRecording } from './recording.ts';
import { replay, type Server } from './replay.ts';
import { GROUPS } from './requests/groups.ts';

const REVIEWED = [...INTENDED_DIFFERENCES, ...KNOWN_DIFFERENCES];
const GROUP_TIMEOUT_MS = 120_000;

let oracle: Server;
let ours: Server;
const found: Difference[] = [];
beforeAll(async () => {
  [oracle, ours] = await Promise.all([startOracle(), startOurs()]);
});
afterAll(async () => {
  await Promise.all([oracle?.stop(), ours?.stop()]);
});

describe('the same requests to real Ironic and to Ingot', { timeout: GROUP_TIMEOUT_MS }, () => {
  it.each(GROUPS)('$name', async (group) => {
    const [theirs, mine] = await Promise.all([replay(oracle, group), replay(ours, group)]);
    const differences = [...theirs].flatMap(([title, answer]) =>
      compareAnswers(`${group.name}: ${title}`, answer, mine.get(title)!),
    );
    found.push(...differences);
    const { unreviewed } = judge(differences, REVIEWED);
    expect.soft(describeDifferences(unreviewed)).toBe('');
    expect
      .soft(exchangesOf(group, theirs), 'the recording is old: node test/conformance/record.ts')
      .toEqual(await readRecording(group.name));
  });

  it('every reviewed difference occurs', () => {
    const { unused } = judge(found, REVIEWED);
    expect(unused.map(({ requests, at, reason }) => `${requests} ${at}: ${reason}`)).toEqual([]);
  });
});
