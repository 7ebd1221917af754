import { describe, expect, it } from 'vitest';
import { newKey } from './key-file.ts';
import { createSecretCipher, encryptedWith, isEncrypted } from './secret-cipher.ts';

const key = newKey();
const cipher = createSecretCipher([key]);

describe('a secret', () => {
  it.each(['', 'hunter2', '"quoted"', 'ü€😀'.repeat(500), 'enc1:00000000:AAAA'])('%j comes back', (text) => {
    const stored = cipher.encrypt('t:1:a', text);
    expect(isEncrypted(stored)).toBe(true);
    expect(stored.startsWith(encryptedWith(key.id))).toBe(true);
    if (text.length > 5) expect(stored).not.toContain(text);
    expect(cipher.decrypt('t:1:a', stored)).toBe(text);
    expect(cipher.decrypt('t:1:a', stored)).toBe(text);
    expect(createSecretCipher([newKey(), key]).decrypt('t:1:a', stored)).toBe(text);
  });

  it('has another encrypted form each time', () => {
    expect(cipher.encrypt('t:1:a', 'same')).not.toBe(cipher.encrypt('t:1:a', 'same'));
  });

  it('can not be moved to another row or field, not even after it was read', () => {
    const stored = cipher.encrypt('t:1:a', 'hunter2');
    cipher.decrypt('t:1:a', stored);
    for (const place of ['t:2:a', 't:1:b', 'u:1:a']) {
      expect(() => cipher.decrypt(place, stored)).toThrow(
        `The secret ${place} in the database cannot be decrypted: it was changed, or belongs to another row`,
      );
    }
  });

  it('is refused when any part of it was changed, is not encrypted or has no key', () => {
    const stored = cipher.encrypt('t:1:a', 'hunter2');
    const start = encryptedWith(key.id).length;
    for (let at = start; at < stored.length; at += 3) {
      const other = stored[at] === 'A' ? 'B' : 'A';
      const changed = stored.slice(0, at) + other + stored.slice(at + 1);
      expect(() => cipher.decrypt('t:1:a', changed)).toThrow(/it was changed|not encrypted|too short/);
    }
    expect(() => cipher.decrypt('t:1:a', stored.slice(0, start + 8))).toThrow('it is too short');
    expect(() => cipher.decrypt('t:1:a', '"hunter2"')).toThrow('it is not encrypted');
    expect(() => createSecretCipher([newKey()]).decrypt('t:1:a', stored)).toThrow(
      `its key ${key.id} is not in the key file`,
    );
  });

  it('that can not be read is reported once', () => {
    const reports: string[] = [];
    const other = createSecretCipher([newKey()], (error) => reports.push(error.message));
    const stored = cipher.encrypt('t:1:a', 'hunter2');
    expect([1, 2].map(() => other.tryDecrypt('t:1:a', stored))).toEqual([undefined, undefined]);
    expect(reports).toEqual([
      expect.stringContaining('The secret t:1:a in the database cannot be decrypted'),
    ]);
    expect(cipher.tryDecrypt('t:1:a', stored)).toBe('hunter2');
  });

  it('is never named in an error', () => {
    const stored = cipher.encrypt('t:1:a', 'hunter2');
    const failed = (() => {
      try {
        return cipher.decrypt('t:1:b', stored);
      } catch (error) {
        return String(error);
      }
    })();
    expect(failed).not.toContain('hunter2');
    expect(failed).not.toContain(stored);
  });
});
