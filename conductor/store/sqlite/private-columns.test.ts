import { expect, it } from 'vitest';
import { isEncrypted, temporaryCipher } from '../secret-cipher.ts';
import { privateColumns } from './private-columns.ts';

const cipher = temporaryCipher();
const COLUMNS = { name: 'text', adminPass: 'private', actions: 'privateJson', extra: 'guarded' } as const;
const hidden = privateColumns('things', COLUMNS);

const WHOLE = {
  name: 'n',
  admin_pass: 'hunter2',
  actions: '[{"value":"hunter2"}]',
  extra: '{"a":{"api_key":"hunter2"}}',
};

it('private values are encrypted on their way in and decrypted on their way out', () => {
  const row = { ...WHOLE };
  hidden.hide(cipher, 'r1', row);
  expect(row.name).toBe('n');
  expect(JSON.stringify(row)).not.toContain('hunter2');
  expect([row.admin_pass, row.actions, row.extra].map(isEncrypted)).toEqual([true, true, true]);
  hidden.show(cipher, 'r1', row);
  expect(row).toEqual(WHOLE);
});

it('empty values, and guarded ones without a secret, stay readable', () => {
  const row = { name: null, admin_pass: null, actions: '[]', extra: '{"rack":"7"}' };
  const before = { ...row };
  hidden.hide(cipher, 'r1', row);
  expect(row).toEqual(before);
  hidden.show(cipher, 'r1', row);
  expect(row).toEqual(before);
});

it('a text that looks encrypted is encrypted again', () => {
  const row = { admin_pass: 'enc1:00000000:AAAA' };
  hidden.hide(cipher, 'r1', row);
  hidden.show(cipher, 'r1', row);
  expect(row).toEqual({ admin_pass: 'enc1:00000000:AAAA' });
});

it('a plain value where an encrypted one must be, or that of another row, is refused', () => {
  expect(() => hidden.show(cipher, 'r1', { admin_pass: 'hunter2' })).toThrow('it is not encrypted');
  const row = { ...WHOLE };
  hidden.hide(cipher, 'r1', row);
  expect(() => hidden.show(cipher, 'r2', row)).toThrow('belongs to another row');
});
