import { describe, expect, it } from 'vitest';
import { importGuard, parseImportUrl } from './import-guard.ts';

describe('allowed sources of imports', () => {
  const rules = { importHosts: ['images.test:8080', '[::1]:80', '10.0.0.5:443'] };

  it.each([
    'http://images.test/',
    'https://images.test/a?b#c',
    'http://images.test:8080/',
    'https://10.0.0.5/',
    'http://[::1]/',
    'http://10.1.2.3/',
    'http://[2001:db8::1]/',
  ])('%s', (url) => expect(parseImportUrl(url, rules).href).toBe(url));

  it.each([
    'http://images.test:8081/',
    'https://10.0.0.5:8443/',
    'ftp://images.test/',
    'gopher://images.test/',
    'http://127.1/',
    'http://2130706433/',
    'http://0/',
    'http://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[fe80::1]/',
    'http://224.0.0.1/',
  ])('not %s', (url) => {
    expect(() => parseImportUrl(url, rules)).toThrow(/was refused/);
  });

  it('checks the addresses of host names', () => {
    const guard = importGuard(rules);
    const at = (address: string, url = 'http://images.test/') => guard.isAllowed(address, new URL(url));
    expect(at('192.0.2.1')).toBe(true);
    expect(at('127.0.0.1')).toBe(false);
    expect(at('::ffff:7f00:1')).toBe(false);
    expect(at('127.0.0.1', 'http://images.test:8080/')).toBe(true);
  });
});
