import { describe, expect, it } from 'vitest';
import { parsePrefix } from '../domain/ip-address.ts';
import { type CallbackRules, callbackProblem } from './callback-url.ts';

const RULES: CallbackRules = {
  allowPlaintext: true,
  allowed: [],
  machine: ['10.0.0.9', '::ffff:10.0.0.8', '2001:db8::9'],
  machineIs: 'the leased address',
  own: ['10.0.0.1', '2001:db8::1'],
};
const networks = (...texts: string[]) => texts.map((text) => parsePrefix(text)!);

describe('a callback URL', () => {
  it.each([
    'http://10.0.0.9:9999',
    'https://10.0.0.9:9999/',
    'HTTPS://10.0.0.9',
    'https://10.0.0.8:1',
    'https://[2001:db8::9]:443',
    'https://[2001:DB8:0::9]',
    'https://[::ffff:10.0.0.9]:9999',
  ])('%s is believed', (url) => {
    expect(callbackProblem(url, RULES)).toBeUndefined();
  });

  it.each([
    '',
    'x',
    'ftp://10.0.0.9',
    'file:///etc/passwd',
    'http://user@10.0.0.9:9999',
    'http://user:password@10.0.0.9:9999',
    'http://10.0.0.9:9999/v1/nodes',
    'http://10.0.0.9:9999/?x=1',
    'http://10.0.0.9:9999/?',
    'http://10.0.0.9:9999/#',
    'http://10.0.0.9:9999\\@192.0.2.1',
    'http://10.0.0.9:9999/../',
    ' http://10.0.0.9:9999',
    'http://10.0.0.9:9999\n',
    'http:/10.0.0.9',
    'http:10.0.0.9',
    'http://10.0.0.9:99999',
    'http://machine.example:9999',
    'http://localhost:9999',
    'http://[fe80::1%25eth0]:9999',
    'http://0x0a000009:9999',
    'http://１０.0.0.9',
  ])('%j is no URL of an address and a port', (url) => {
    expect(callbackProblem(url, RULES)).toMatch(
      /^callback_url must be an http or https URL of an IP address/,
    );
  });

  it.each([
    ['http://127.0.0.1:6385', '127.0.0.1 is a loopback address'],
    ['http://2130706433', '127.0.0.1 is a loopback address'],
    ['http://127.1', '127.0.0.1 is a loopback address'],
    ['http://[::1]:6385', '::1 is a loopback address'],
    ['http://[::ffff:127.0.0.1]', '127.0.0.1 is a loopback address'],
    ['http://[0:0:0:0:0:ffff:7f00:1]', '127.0.0.1 is a loopback address'],
    ['http://169.254.169.254', '169.254.169.254 is a cloud metadata address'],
    ['http://169.254.7.7', '169.254.7.7 is a link-local address'],
    ['http://[fe80::1]', 'fe80::1 is a link-local address'],
    ['http://[64:ff9b::a00:9]', 'is a NAT64 address'],
    ['http://0.0.0.0:6385', 'is an address of "this network"'],
    ['http://10.0.0.1:6385', '10.0.0.1 is an address of the conductor'],
    ['http://[2001:db8::1]', '2001:db8::1 is an address of the conductor'],
  ])('%s is refused: %s', (url, reason) => {
    expect(callbackProblem(url, RULES)).toContain(`callback_url must lead to the machine, but `);
    // Also when the machine claims to have that address.
    const host = URL.parse(url)!.hostname.replace(/^\[|\]$/g, '');
    expect(callbackProblem(url, { ...RULES, machine: [host] })).toContain(reason);
  });

  it('of another host is refused, unless its network is allowed', () => {
    const url = 'http://10.4.0.7:9999';
    expect(callbackProblem(url, RULES)).toBe(
      'callback_url must lead to the leased address, or to a network of agent.callback_allow.',
    );
    expect(callbackProblem(url, { ...RULES, machine: [] })).toContain('the leased address');
    expect(callbackProblem(url, { ...RULES, allowed: networks('10.4.0.0/16') })).toBeUndefined();
    expect(callbackProblem('http://127.0.0.1:1', { ...RULES, allowed: networks('127.0.0.0/8') })).toBe(
      undefined,
    );
  });

  it('must be https without plaintext, also in an allowed network', () => {
    const strict = { ...RULES, allowPlaintext: false, allowed: networks('10.4.0.0/16') };
    expect(callbackProblem('http://10.0.0.9:9999', strict)).toMatch('must be https');
    expect(callbackProblem('http://10.4.0.7:9999', strict)).toMatch('must be https');
    expect(callbackProblem('https://10.0.0.9:9999', strict)).toBeUndefined();
  });
});
