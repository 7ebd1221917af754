import { expect, it } from 'vitest';
import { checkInstanceArguments, parseKernelArguments } from './kernel-arguments.ts';

const ofInstance = (text: string, defaults = '') => parseKernelArguments(text, 'instance_info', defaults);

it.each([
  'ipa-api-url=http://evil.example',
  'nofb ipa-api-url=http://evil.example',
  'ipa_api_url=http://evil.example',
  'IPA-insecure=1',
  'ipa-',
  'ingot.shell=1',
  'Ingot.anything',
  'init=/bin/sh',
  'init',
  'rdinit=/bin/sh',
  'BOOTIF=01-52-54-00-00-00-01',
  '--',
  'nofb -- x',
])('an instance may not give %j', (text) => {
  expect(() => ofInstance(text)).toThrow(/instance_info\.kernel_append_params: ".*" is not allowed here/);
  expect(() => checkInstanceArguments({ kernel_append_params: text })).toThrow('is not allowed here');
});

it.each([
  'nofb\nipa-api-url=http://evil.example',
  'nofb\tinit=/bin/sh',
  'nofb\rinit=/bin/sh',
  'a\u0000b',
  'a\u2028init=/bin/sh',
  'a\u00a0init=/bin/sh',
  '"ipa-api-url=http://evil.example"',
  'x="1 init=/bin/sh"',
  "'init=/bin/sh'",
  'a\\ b',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: iPXE's own variable
  'a=${net0/ip}',
  'a;b|c',
  '&&',
])('%j is no kernel argument', (text) => {
  expect(() => ofInstance(text)).toThrow(/cannot be a kernel argument/);
  expect(() => checkInstanceArguments({ kernel_append_params: text })).toThrow('cannot be a kernel argument');
});

it('a reserved word can not be put together from the defaults', () => {
  expect(() => ofInstance('in%default%', 'it=/bin/sh')).toThrow('"init=/bin/sh" is not allowed here');
  expect(() => ofInstance('%default%ipa-debug=1', 'nofb ')).toThrow('"ipa-debug=1" is not allowed here');
});

it('other arguments are kept, and the defaults may contain any word', () => {
  expect(ofInstance('console=ttyS1,115200 initcall_debug rd.init=1 %default%', 'nofb ipa-debug=1')).toEqual([
    'console=ttyS1,115200',
    'initcall_debug',
    'rd.init=1',
    'nofb',
    'ipa-debug=1',
  ]);
  expect(() => checkInstanceArguments({ kernel_append_params: 'nofb %default%' })).not.toThrow();
  expect(() => checkInstanceArguments({})).not.toThrow();
});

it("driver_info may start another program, but not change the conductor's own words", () => {
  const ofDriver = (text: string) => parseKernelArguments(text, 'driver_info', '');
  expect(ofDriver('ipa-debug=1 ipa-insecure=1 init=/bin/sh')).toHaveLength(3);
  for (const text of ['ipa-api-url=http://evil.example', 'ipa_api_url=x', 'ingot.x=1', '--'])
    expect(() => ofDriver(text)).toThrow('driver_info.kernel_append_params');
});
