/**
 * Checks inspection data before it is believed: how much there is, and the types and ranges of what is used. The
 * result is safe to show and to store: its texts are short and without control characters.
 */
import { bad, type Decoded, good } from '../decoded.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { DecodedInspection } from './inspection.ts';
import { isCount, isName, withoutControls } from './limits.ts';

export const MOST_INTERFACES = 64;
const MOST_DISKS = 1024;
/** Of all texts and names together, without the logs. */
const MOST_CHARACTERS = 1024 * 1024;
const MOST_VALUES = 100_000;
/** Of one text of the inventory. Plugin data may contain the output of a program. */
const LONGEST_INVENTORY_TEXT = 4096;
const MOST_LOG_CHARACTERS = 15 * 1024 * 1024;
const MOST_CPUS = 65_536;
/** 1 PiB, in MiB. */
const MOST_MEMORY_MB = 1024 ** 3;

export function checkInspection({ inventory, pluginData }: DecodedInspection): Decoded<DecodedInspection> {
  const problem = countsProblem(inventory) ?? factsProblem(inventory) ?? logsProblem(pluginData['logs']);
  if (problem !== undefined) return bad(problem);
  const { logs, ...data } = pluginData;
  const budget: Budget = { characters: MOST_CHARACTERS, values: MOST_VALUES };
  try {
    const checked = cleaned(inventory, budget, LONGEST_INVENTORY_TEXT) as JsonObject;
    const plugins = cleaned(data, budget, MOST_CHARACTERS) as JsonObject;
    return good({ inventory: checked, pluginData: logs === undefined ? plugins : { ...plugins, logs } });
  } catch (error) {
    if (error instanceof Refused) return bad(error.message);
    throw error;
  }
}

function countsProblem({ interfaces = [], disks = [] }: JsonObject): string | undefined {
  return listProblem('interfaces', interfaces, MOST_INTERFACES) ?? listProblem('disks', disks, MOST_DISKS);
}

function listProblem(name: string, list: Json, most: number): string | undefined {
  if (!Array.isArray(list) || !list.every(isJsonObject)) return `inventory.${name} is no list of objects`;
  return list.length > most
    ? `inventory.${name} has ${list.length} entries; at most ${most} are allowed`
    : undefined;
}

/** The facts that the conductor uses. What is missing or null is unknown. */
function factsProblem(inventory: JsonObject): string | undefined {
  const part = (name: string): JsonObject => (isJsonObject(inventory[name]) ? inventory[name] : {});
  const list = (name: string) => (inventory[name] ?? []) as readonly JsonObject[];
  const rows: readonly Fact[] = [
    ['cpu.count', part('cpu')['count'], countUpTo(MOST_CPUS)],
    ['cpu.architecture', part('cpu')['architecture'], name],
    ['memory.physical_mb', part('memory')['physical_mb'], countUpTo(MOST_MEMORY_MB)],
    ['memory.total', part('memory')['total'], count],
    ['boot.pxe_interface', part('boot')['pxe_interface'], name],
    ...list('disks').flatMap((disk): Fact[] => [
      ['disks[].size', disk['size'], count],
      ['disks[].name', disk['name'], name],
    ]),
    ...list('interfaces').flatMap((card): Fact[] => [
      ['interfaces[].mac_address', card['mac_address'], name],
      ['interfaces[].name', card['name'], name],
    ]),
  ];
  const wrong = rows.find(([, value, [fits]]) => value != null && !fits(value));
  return wrong && `inventory.${wrong[0]} is no ${wrong[2][1]}`;
}

type Check = readonly [fits: (value: Json) => boolean, what: string];
type Fact = readonly [name: string, value: Json | undefined, check: Check];

const count: Check = [isCount, 'whole number from 0 to 2^53 - 1'];
const countUpTo = (most: number): Check => [
  (value) => isCount(value) && value <= most,
  `whole number from 0 to ${most}`,
];
/** An empty text is a machine's way to say that something is unknown. */
const name: Check = [
  (value) => value === '' || isName(value),
  'text of one line with at most 255 characters',
];

function logsProblem(logs: Json | undefined): string | undefined {
  if (logs == null) return undefined;
  if (typeof logs !== 'string' || !/^[A-Za-z0-9+/=\s]*$/.test(logs)) return 'logs is no base64 text';
  return logs.length > MOST_LOG_CHARACTERS ? 'logs is longer than 15 MiB' : undefined;
}

interface Budget {
  characters: number;
  values: number;
}

class Refused extends Error {}

/** Recursive: the parser of bodies limits the depth. */
function cleaned(value: Json, budget: Budget, longest: number): Json {
  budget.values -= 1;
  if (budget.values < 0) throw new Refused(`the data has more than ${MOST_VALUES} values`);
  if (typeof value === 'string') return cleanedText(value, budget, longest);
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new Refused('a number is beyond 2^53 - 1');
  if (Array.isArray(value)) return (value as readonly Json[]).map((one) => cleaned(one, budget, longest));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, Json] => {
    if (key !== '' && !isName(key))
      throw new Refused('a name is longer than 255 characters or has several lines');
    spend(key, budget);
    return [key, cleaned(inner, budget, longest)];
  });
  return Object.fromEntries(entries);
}

function cleanedText(text: string, budget: Budget, longest: number): string {
  if (text.length > longest) throw new Refused(`a text is longer than ${longest} characters`);
  spend(text, budget);
  return withoutControls(text);
}

function spend(text: string, budget: Budget): void {
  budget.characters -= text.length;
  if (budget.characters < 0)
    throw new Refused(`the data has more than ${MOST_CHARACTERS} characters besides the logs`);
}
