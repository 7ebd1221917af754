/**
 * Kernel arguments of the ramdisk: who may give which.
 *
 * `instance_info` is written by tenants: what decides whom the agent trusts and which program the kernel starts is not
 * for them. `driver_info` is written by operators, who may start another program, but the conductor's own words are
 * not for them either.
 */
import { type KernelParam, parseKernelParam } from './boot.ts';
import { IngotError } from './errors.ts';
import type { JsonObject } from './json.ts';

export type ArgumentsFrom = 'instance_info' | 'driver_info';

/** Stands for the arguments of the conductor's configuration. */
const DEFAULT = '%default%';

/** Names, or starts of names with `*`; with dashes, since the kernel and agents also read underscores as dashes. */
const RESERVED = {
  // After `--` the kernel reads no more arguments.
  instance_info: ['ipa-*', 'ingot.*', 'init', 'rdinit', 'BOOTIF', '--'],
  driver_info: ['ipa-api-url', 'ingot.*', 'BOOTIF', '--'],
} as const satisfies Record<ArgumentsFrom, readonly string[]>;

/** The words of `text`, checked. Throws invalidParameter naming the field and the word. */
export function parseKernelArguments(text: string, from: ArgumentsFrom, defaults: string): KernelParam[] {
  return splitWords(text).flatMap((word) => {
    if (word === DEFAULT) return splitWords(defaults).map((one) => checkWord(one, 'boot.kernel_params'));
    return splitWords(word.replaceAll(DEFAULT, defaults)).map((one) => checkArgument(one, from));
  });
}

/** Checks `kernel_append_params` of an instance_info that is about to be stored. */
export function checkInstanceArguments(instanceInfo: JsonObject | undefined): void {
  const text = instanceInfo?.['kernel_append_params'];
  if (typeof text === 'string') parseKernelArguments(text, 'instance_info', '');
}

/** One word, or invalidParameter naming the field. */
export function checkWord(word: string, field: string): KernelParam {
  const param = parseKernelParam(word);
  if (param !== undefined) return param;
  throw new IngotError(
    'invalidParameter',
    `${field}: ${JSON.stringify(word.slice(0, 255))} cannot be a kernel argument; letters, digits and _.,:;=/@%+~[]?&- are allowed`,
  );
}

function checkArgument(word: string, from: ArgumentsFrom): KernelParam {
  const field = `${from}.kernel_append_params`;
  const param = checkWord(word, field);
  const name = plain(word.split('=')[0] ?? '');
  const reserved = RESERVED[from].find((one) =>
    one.endsWith('*') ? name.startsWith(plain(one.slice(0, -1))) : name === plain(one),
  );
  if (reserved === undefined) return param;
  throw new IngotError(
    'invalidParameter',
    `${field}: ${JSON.stringify(word)} is not allowed here: ${RESERVED[from].join(', ')} are the conductor's. Remove it.`,
  );
}

const plain = (name: string): string => name.toLowerCase().replaceAll('_', '-');

export const splitWords = (text: string): string[] => text.split(' ').filter((word) => word !== '');
