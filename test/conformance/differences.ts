/**
 * Compares our conductor with the recordings of real Ironic, without starting Ironic:
 * `node test/conformance/differences.ts [group ...]`.
 */
import type { Answer } from './answer.ts';
import { compareAnswers, type Difference, describeDifferences, judge } from './compare.ts';
import { INTENDED_DIFFERENCES } from './intended-differences.ts';
import { KNOWN_DIFFERENCES } from './known-differences.ts';
import { startOurs } from './ours.ts';
import { readRecording, withUsualHeaders } from './recording.ts';
import { replay } from './replay.ts';
import { GROUPS } from './requests/groups.ts';

const wanted = process.argv.slice(2);
const reviewed = [...INTENDED_DIFFERENCES, ...KNOWN_DIFFERENCES];
const all: Difference[] = [];
const ours = await startOurs();
try {
  for (const group of GROUPS) {
    if (wanted.length > 0 && !wanted.includes(group.name)) continue;
    const recorded = new Map<string, Answer>(
      (await readRecording(group.name)).map(({ title, answer }) => [title, withUsualHeaders(answer)]),
    );
    const mine = await replay(ours, group);
    const differences = [...mine].flatMap(([title, answer]) =>
      compareAnswers(`${group.name}: ${title}`, recorded.get(title)!, answer),
    );
    all.push(...differences);
    const { unreviewed } = judge(differences, reviewed);
    if (unreviewed.length > 0) console.log(describeDifferences(unreviewed));
  }
  if (wanted.length === 0) {
    for (const { requests, reason } of judge(all, reviewed).unused) {
      console.log(`no longer needed: ${requests} ${reason}`);
    }
  }
} finally {
  await ours.stop();
}
