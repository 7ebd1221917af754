/**
 * fast-check for all tests, with one seed for the whole run, so that two runs of `npm test` try the same cases.
 *
 *   INGOT_SEED   another seed: a number repeats a run, `random` picks one (`npm run test:random`)
 *   INGOT_RUNS   multiplies the number of cases of the long random tests; default 1
 *
 * When a property fails, fast-check prints the seed and the counterexample.
 */
import fc from 'fast-check';
export declare const SEED: number;
export declare const RUNS_FACTOR: number;
export { fc };
