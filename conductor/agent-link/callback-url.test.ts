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
    ['http://127.0.0.1:6385', 'a loopback address'],
    ['http://2130706433', 'a loopback address'],
    ['http://127.1', 'a loopback address'],
    ['http://[::1]:6385', 'a loopback address'],
    ['http://[::ffff:127.0.0.1]', 'a loopback address'],
    ['http://[0:0:0:0:0:ffff:7f00:1]', 'a loopback address'],
    ['http://169.254.169.254', 'a link-local address'],
    ['http://[fe80::1]', 'a link-local address'],
    ['http://[fd00:ec2::254]', 'an address of a cloud metadata service'],
    ['http://100.100.100.200', 'an address of a cloud metadata service'],
    ['http://0.0.0.0:6385', 'no address of a host'],
    ['http://[::]:6385', 'no address of a host'],
    ['http://255.255.255.255', 'no address of a host'],
    ['http://10.0.0.1:6385', 'an address of the conductor'],
    ['http://[2001:db8::1]', 'an address of the conductor'],
  ])('%s is refused as %s', (url, kind) => {
    expect(callbackProblem(url, RULES)).toBe(
      `callback_url must lead to the machine, but its host is ${kind}.`,
    );
    // Also when the machine claims to have that address.
    const host = URL.parse(url)!.hostname;
    expect(callbackProblem(url, { ...RULES, machine: [host] })).toContain(kind);
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
