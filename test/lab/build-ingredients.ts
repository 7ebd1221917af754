/** Runs before all lab tests. Builds once what all of them need, so that tests that run in parallel find it built. */
import { prepareIngredients } from './ingredients.ts';

/** For both builds together, on a busy machine. */
const LIMIT_MS = 1_800_000;

export async function setup(): Promise<void> {
  await prepareIngredients(AbortSignal.timeout(LIMIT_MS), (text) => console.log(text));
}
