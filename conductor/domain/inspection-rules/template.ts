/**
 * Fields in the texts of inspection rules: `{inventory[cpu][count]}`, `{node.name}`, `{item}`, in the syntax of
 * Python's str.format. `{{` and `}}` are braces. Pure; reads only own properties of JSON objects.
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

export interface RuleValues {
  /** In wire form. */
  readonly node: JsonObject;
  readonly inventory: JsonObject;
  readonly plugin_data: JsonObject;
  /** The current item of a loop. */
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

/** The value that a field such as `inventory[disks][0][size]` names; undefined when it does not exist. */
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

/** The text with its fields filled; undefined when one of them does not exist. */
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

/** Fills every text in the JSON. A text with a field that does not exist becomes `otherwise`, or stays unchanged. */
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
