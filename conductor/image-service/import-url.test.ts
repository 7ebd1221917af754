import { expect, it } from 'vitest';
import { parseImportUrl } from './import-url.ts';

const rules = { importPorts: ['80', '443', '8080'] };

it.each([
  'http://images.test/',
  'https://images.test/a?b#c',
  'http://images.test:8080/',
  'http://images.test:443/',
  'http://[2001:db8::1]/',
])('%s may be imported', (url) => expect(parseImportUrl(url, rules).href).toBe(url));

it.each([
  ['http://images.test:8081/', 'its port is 8081'],
  ['https://10.0.0.5:22/', 'image_service.import_ports (80, 443, 8080)'],
  ['ftp://images.test/', 'its scheme is ftp'],
  ['file:///etc/passwd', 'its scheme is file'],
  ['images.test', 'it is not a URL'],
])('%s may not', (url, why) => {
  expect(() => parseImportUrl(url, rules)).toThrow(/was refused/);
  expect(() => parseImportUrl(url, rules)).toThrow(why);
});
