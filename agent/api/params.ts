/**
 * Parameters of a command as a table. They are checked before the command starts, so that a wrong request is rejected
 * with 400 before a disk is touched.
 */
import { isJsonObject, type Json, type JsonObject } from '@ingot/shared/json.ts';
import { AgentError } from '../command-error.ts';

export interface Param {
  readonly kind: 'text' | 'flag' | 'object' | 'list';
  readonly required?: true;
  /** Why a value of the right kind is invalid; null when it is valid. */
  readonly fault?: (value: Json) => string | null;
}

export type ParamTable = Readonly<Record<string, Param>>;
export type Params = JsonObject;

const KINDS: Readonly<
  Record<Param['kind'], { readonly words: string; readonly is: (v: unknown) => boolean }>
> = {
  text: { words: 'a string', is: (value) => typeof value === 'string' },
  flag: { words: 'true or false', is: (value) => typeof value === 'boolean' },
  object: { words: 'an object', is: isJsonObject },
  list: { words: 'a list', is: Array.isArray },
};

/**
 * null is the same as absent. Parameters that are not in the table are ignored, because they may be for newer agents.
 */
export function checkParams(table: ParamTable, given: Params): void {
  for (const [name, { kind, required, fault }] of Object.entries(table)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value == null) {
      if (required) throw new AgentError('InvalidCommandParamsError', `${name} is missing`);
      continue;
    }
    if (!KINDS[kind].is(value)) {
      throw new AgentError('InvalidCommandParamsError', `${name} must be ${KINDS[kind].words}`);
    }
    const wrong = fault?.(value);
    if (wrong != null) throw new AgentError('InvalidCommandParamsError', wrong);
  }
}
