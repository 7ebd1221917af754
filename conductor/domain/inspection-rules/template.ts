/**
 * Texts of inspection rules with values in them: `{inventory[cpu][count]}`, `{node.name}`, `{item}`, as Python's
 * str.format writes fields. `{{` and `}}` are braces. Pure; only own members of JSON are reached.
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

export interface RuleValues {
  /** In wire form. */
  readonly node: JsonObject;
  readonly inventory: JsonObject;
  readonly plugin_data: JsonObject;
  /** Of a loop. */
  readonly item?: Json;
}

const FIELD = /\{\{|\}\}|\{([^{}]*)\}/g;
const STEP = /\.([^.[\]]+)|\[([^\]]*)\]/y;

/** As Python writes it. */
export function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** The value a field such as `inventory[disks][0][size]` names; undefined where there is none. */
export function lookUp(field: string, values: RuleValues): Json | undefined {
  const [root = ''] = /^\w+/.exec(field) ?? [];
  let value: Json | undefined = Object.hasOwn(values, root) ? values[root as keyof RuleValues] : undefined;
  let at = root.length;
  while (at < field.length && value !== undefined) {
    STEP.lastIndex = at;
    const match = STEP.exec(field);
    if (match === null) return undefined;
    value = memberOf(value, match[1] ?? match[2] ?? '');
    at = STEP.lastIndex;
  }
  return value;
}

function memberOf(value: Json, key: string): Json | undefined {
  if (Array.isArray(value)) return /^\d{1,6}$/.test(key) ? value[Number(key)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The text with its fields filled; undefined when one of them is nowhere. */
export function fillText(text: string, values: RuleValues): string | undefined {
  let missing = false;
  const filled = text.replaceAll(FIELD, (whole, field: string | undefined) => {
    if (field === undefined) return whole[0] as string;
    const value = lookUp(field, values);
    if (value === undefined) missing = true;
    return value === undefined ? whole : textOf(value);
  });
  return missing ? undefined : filled;
}

/** Every text in the JSON filled; one with a field that is nowhere becomes `otherwise`, or stays as it is. */
export function fill(json: Json, values: RuleValues, otherwise?: null): Json {
  if (typeof json === 'string') {
    const filled = fillText(json, values);
    return filled ?? (otherwise === undefined ? json : otherwise);
  }
  if (Array.isArray(json)) return json.map((item: Json) => fill(item, values, otherwise));
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [
      fillText(key, values) ?? key,
      fill(value, values, otherwise),
    ]),
  );
}
