/**
 * The RAID configuration that an operator wants: `{logical_disks: [{size_gb, raid_level, ...}]}`. Pure.
 */
import { IngotError } from './errors.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';

const RAID_LEVELS = ['JBOD', '0', '1', '2', '5', '6', '1+0', '5+0', '6+0'];
const isText = (value: Json): boolean => typeof value === 'string' && value !== '';
const isFlag = (value: Json): boolean => typeof value === 'boolean';
const isCount = (value: Json): boolean => Number.isSafeInteger(value) && (value as number) > 0;

/** Keys of a logical disk: the allowed values, as text and as a check. */
const KEYS: Readonly<Record<string, readonly [words: string, fits: (value: Json) => boolean]>> = {
  size_gb: ['a number of GiB, 1 or more, or "MAX"', (value) => value === 'MAX' || isCount(value)],
  raid_level: [
    `one of ${RAID_LEVELS.join(', ')}`,
    (value) => typeof value === 'string' && RAID_LEVELS.includes(value),
  ],
  volume_name: ['a text', isText],
  is_root_volume: ['a boolean', isFlag],
  share_physical_disks: ['a boolean', isFlag],
  disk_type: ['hdd or ssd', (value) => value === 'hdd' || value === 'ssd'],
  interface_type: ['sata, scsi or sas', (value) => ['sata', 'scsi', 'sas'].includes(String(value))],
  number_of_physical_disks: ['a number, 1 or more', isCount],
  controller: ['a text', isText],
  physical_disks: [
    'a list of names',
    (value) => Array.isArray(value) && value.every((one: Json) => isText(one)),
  ],
};

const wrong = (what: string): IngotError =>
  new IngotError('invalidParameter', `RAID configuration: ${what}.`);

/** `{}` removes the configuration. Throws invalidParameter naming the disk by its index and its key. */
export function parseRaidConfig(body: unknown, known: Readonly<Record<string, string>>): JsonObject {
  if (!isJsonObject(body)) throw wrong('the body must be an object');
  if (Object.keys(body).length === 0) return {};
  const { logical_disks: disks, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrong(`"${unknown}" is not known; there is only "logical_disks"`);
  if (!Array.isArray(disks) || disks.length === 0)
    throw wrong('"logical_disks" must be a list of one or more');
  for (const [index, disk] of disks.entries()) checkDisk(disk, `logical_disks[${index}]`, known);
  const roots = disks.filter((disk) => isJsonObject(disk) && disk['is_root_volume'] === true);
  if (roots.length > 1) throw wrong('"is_root_volume" can be true for one logical disk only');
  return body;
}

function checkDisk(disk: Json, where: string, known: Readonly<Record<string, string>>): void {
  if (!isJsonObject(disk)) throw wrong(`${where} must be an object`);
  for (const required of ['size_gb', 'raid_level']) {
    if (disk[required] === undefined) throw wrong(`${where} must have "${required}"`);
  }
  for (const [key, value] of Object.entries(disk)) {
    const rule = KEYS[key];
    if (rule === undefined || !Object.hasOwn(known, key)) {
      throw wrong(`${where} has an unknown key "${key}"; there are ${Object.keys(known).join(', ')}`);
    } else if (!rule[1](value as Json)) {
      throw wrong(`${where}.${key} must be ${rule[0]}`);
    }
  }
}
