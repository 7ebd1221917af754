/**
 * Traits: names of what a node can do. Standard ones are uppercase words; an operator's own begin with `CUSTOM_`.
 */
import { STANDARD_TRAITS } from './standard-traits.ts';

export const MAX_TRAITS = 50;
const CUSTOM = /^CUSTOM_[A-Z0-9_]+$/;
const MAX_LENGTH = 255;

/** Why `trait` can not be one, or undefined when it can. */
export function badTrait(trait: string): string | undefined {
  if (trait.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  if (CUSTOM.test(trait) || STANDARD_TRAITS.has(trait)) return undefined;
  return 'must be a standard trait (such as HW_CPU_X86_VMX) or CUSTOM_ followed by A-Z, 0-9 and _';
}
