import { NODE_FIELDS } from '@ingot/shared/ironic/node-fields.ts';
import { VOLUME_TARGET_FIELDS } from '@ingot/shared/ironic/resource-fields.ts';
import { expect, it } from 'vitest';
import { POLICIES } from '../../../domain/policy.ts';

it('the policies of the field tables exist', () => {
  const named = [...NODE_FIELDS, ...VOLUME_TARGET_FIELDS].flatMap(({ seenBy, changedBy }) =>
    [seenBy, changedBy].filter((policy) => policy !== undefined),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((policy) => !Object.hasOwn(POLICIES, policy))).toEqual([]);
});
