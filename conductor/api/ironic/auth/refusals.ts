/**
 * The answers to those who may not.
 */
import { IngotError } from '../../../domain/errors.ts';
import { describeRule, type PolicyName } from '../../../domain/policy.ts';

/** Names the policy and whom it lets, which is no secret. */
export function forbidden(policy: PolicyName): IngotError {
  return new IngotError(
    'forbidden',
    `Access was denied by the policy baremetal:${policy}. It lets: ${describeRule(policy)}.`,
  );
}
