/**
 * The size of a machine, from the properties of its node.
 */
import type { Node } from '../domain/node.ts';

export interface Size {
  readonly vcpus: number;
  readonly ramMb: number;
  readonly diskGb: number;
}

/** A property that is missing or not a number counts as 0. */
export function sizeOfMachine({ properties }: Pick<Node, 'properties'>): Size {
  const { cpus, memory_mb: ramMb, local_gb: diskGb } = properties;
  return { vcpus: amount(cpus), ramMb: amount(ramMb), diskGb: amount(diskGb) };
}

/** Older tools write amounts in properties as text. */
function amount(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : 0;
}
