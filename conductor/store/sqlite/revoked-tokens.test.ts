import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRecordedDatabase, type RecordedDatabase } from '../../../test/fakes/recorded-database.ts';
import { later, NOW } from '../conformance/samples.ts';
import { createRevokedTokens } from './revoked-tokens.ts';

let recorded: RecordedDatabase;
beforeEach(async () => {
  recorded = await openRecordedDatabase();
});
afterEach(() => recorded[Symbol.asyncDispose]());

it('a token has one row until its end, however often it is revoked', async () => {
  const tokens = createRevokedTokens(recorded.db);
  const rows = () => recorded.rows<{ id: string; expires_at: number }>('select * from revoked_tokens');
  await tokens.add('a', later(10), NOW);
  await tokens.add('a', later(20), NOW);
  expect(await rows()).toEqual([{ id: 'a', expires_at: later(10).getTime() }]);
  await tokens.add('b', later(30), later(9));
  expect(await tokens.has('a')).toBe(true);
  await tokens.add('b', later(30), later(10));
  expect((await rows()).map(({ id }) => id)).toEqual(['b']);
  expect(await tokens.has('a')).toBe(false);
});
