/**
 * fast-check for all tests, with one seed for the whole run, so that two runs of `npm test` try the same cases.
 *
 *   TEST_SEED   another seed: a number repeats a run, `random` picks one (`npm run test:random`)
 *   TEST_RUNS   multiplies the number of cases of the long random tests; default 1
 *
 * When a property fails, fast-check prints the seed and the counterexample.
 */
import fc from 'fast-check';

const asked = process.env['TEST_SEED'];

export const SEED = asked === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(asked ?? 20_261_122);
const FACTOR = Number(process.env['TEST_RUNS'] ?? 1);

/** How many cases to try where `count` is the usual number. */
export const runs = (count: number): number => Math.max(1, Math.round(count * FACTOR));

fc.configureGlobal({ seed: SEED, numRuns: runs(100) });

export { fc };
