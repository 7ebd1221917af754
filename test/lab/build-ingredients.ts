/** Before any lab test: builds what all of them need once, with both cores, so that they find it built and may run beside each other. */
import { prepareIngredients } from './ingredients.ts';

/** For both builds, on a machine that has other work. */
const LIMIT_MS = 1_800_000;

export async function setup(): Promise<void> {
  await prepareIngredients(AbortSignal.timeout(LIMIT_MS), (text) => console.log(text));
}
