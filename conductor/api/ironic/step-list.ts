/**
 * The steps of deploy templates and runbooks: each names a step of an interface, and each step occurs once.
 */
import { IngotError } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';

export const STEP_INTERFACES = [
  'bios',
  'deploy',
  'firmware',
  'management',
  'power',
  'raid',
  'vendor',
] as const;

export interface StepForm {
  /** The key that says when a step runs: a whole number, 0 or more. */
  readonly number: 'priority' | 'order';
  /** Keys that may be missing. `args` is then `{}`. */
  readonly optional: readonly 'args'[];
}

/** Checks steps of the form `{interface, step, args, <number>}`. Throws invalidParameter that names the wrong step. */
export function checkedSteps(resource: string, steps: readonly unknown[], form: StepForm): JsonObject[] {
  const fail = (what: string): never => {
    throw new IngotError('invalidParameter', `Schema error for ${resource}: ${what}.`);
  };
  if (steps.length === 0) fail('steps must not be empty');
  const seen = new Set<string>();
  return steps.map((step, index) => {
    const where = `steps[${index}]`;
    const given = isJsonObject(step) ? step : fail(`${where} must be an object`);
    checkKeys(given, form, (what) => fail(`${where} ${what}`));
    const { interface: type, step: name, args = {} } = given;
    if (!(STEP_INTERFACES as readonly unknown[]).includes(type)) {
      fail(`${where}.interface must be one of ${STEP_INTERFACES.join(', ')}`);
    }
    if (typeof name !== 'string' || name === '') return fail(`${where}.step must be the name of a step`);
    if (!isJsonObject(args)) return fail(`${where}.args must be an object`);
    const text = given[form.number];
    const number = typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : text;
    if (!Number.isSafeInteger(number) || (number as number) < 0) {
      fail(`${where}.${form.number} must be an integer, 0 or more`);
    }
    const identity = `${String(type)}.${name}`;
    if (seen.has(identity)) {
      throw new IngotError('invalidParameter', `The ${resource} has the step ${identity} twice: keep one.`);
    }
    seen.add(identity);
    return { interface: type as string, step: name, args, [form.number]: number as number };
  });
}

function checkKeys(step: JsonObject, { number, optional }: StepForm, fail: (what: string) => never): void {
  const keys = ['interface', 'step', 'args', number];
  const required = keys.filter((key) => !(optional as readonly string[]).includes(key));
  if (
    required.every((key) => Object.hasOwn(step, key)) &&
    Object.keys(step).every((key) => keys.includes(key))
  )
    return;
  fail(
    `must have ${required.join(', ')}${optional.length > 0 ? `, may have ${optional.join(', ')},` : ''} and nothing else`,
  );
}
