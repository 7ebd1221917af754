/**
 * Traits: names of capabilities of a node. Standard traits are uppercase words; an operator's own traits begin with
 * `CUSTOM_`.
 */
import { STANDARD_TRAITS } from './standard-traits.ts';

export const MAX_TRAITS = 50;
const CUSTOM = /^CUSTOM_[A-Z0-9_]+$/;
const MAX_LENGTH = 255;

/** Why `trait` is invalid; undefined when it is valid. */
export function badTrait(trait: string): string | undefined {
  if (trait.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  if (CUSTOM.test(trait) || STANDARD_TRAITS.has(trait)) return undefined;
  return 'must be a standard trait (such as HW_CPU_X86_VMX) or CUSTOM_ followed by A-Z, 0-9 and _';
}
