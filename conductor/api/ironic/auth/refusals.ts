/**
 * The error for callers without permission.
 */
import { IngotError } from '../../../domain/errors.ts';
import { describeRule, type PolicyName } from '../../../domain/policy.ts';

/** The text names the policy and the roles that it allows; neither is secret. */
export function forbidden(policy: PolicyName): IngotError {
  return new IngotError(
    'forbidden',
    `Access was denied by the policy baremetal:${policy}. It lets: ${describeRule(policy)}.`,
  );
}
