/**
 * Sends the requests to real Ironic and writes the recordings: `node test/conformance/record.ts [group ...]`.
 */
import { startOracle } from './oracle.ts';
import { writeRecording } from './recording.ts';
import { replay } from './replay.ts';
import { GROUPS } from './requests/groups.ts';

const wanted = process.argv.slice(2);
const began = Date.now();
const oracle = await startOracle();
console.log(`Ironic answers after ${Date.now() - began} ms`);
try {
  for (const group of GROUPS) {
    if (wanted.length > 0 && !wanted.includes(group.name)) continue;
    const from = Date.now();
    await writeRecording(group, await replay(oracle, group));
    console.log(`${group.name}: ${group.requests.length} requests in ${Date.now() - from} ms`);
  }
} finally {
  await oracle.stop();
}
