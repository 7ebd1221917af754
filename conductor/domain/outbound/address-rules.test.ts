import { describe, expect, it } from 'vitest';
import { type Prefix, parsePrefix } from '../ip-address.ts';
import { type AddressRules, refusedAddress as refusedAt, refusedForCallback } from './address-rules.ts';

const refusedAddress = (address: string, given: AddressRules, port = 80) => refusedAt(address, given, port);

const rules = (...allow: string[]): AddressRules => ({
  allow: allow.map((text) => parsePrefix(text) as Prefix),
  own: ['127.0.0.1', '10.0.0.1', '8.8.4.4', '2606:4700::1'],
  ownPorts: [6385],
  bmcs: ['10.0.9.9', '9.9.9.9', 'bmc.test', '::ffff:10.0.9.10'],
});

describe('addresses to connect to', () => {
  it.each(['1.1.1.1', '2606:4700::2', '::ffff:1.1.1.1'])('allows %s without a setting', (address) =>
    expect(refusedAddress(address, rules())).toBeUndefined(),
  );

  it.each([
    ['10.1.2.3', 'a private address'],
    ['::ffff:10.1.2.3', '10.1.2.3 is a private address'],
    ['fd12::1', 'a unique local address'],
    ['169.254.169.254', 'a cloud metadata address'],
    ['64:ff9b::8.8.8.8', 'a NAT64 address'],
    ['2002:808:808::1', 'a 6to4 address'],
    ['127.0.0.1', "one of the conductor's own addresses"],
    ['127.9.9.9', "one of the conductor's own addresses"],
    ['0.0.0.0', "one of the conductor's own addresses"],
    ['8.8.4.4', "one of the conductor's own addresses"],
    ['2606:4700::1', "one of the conductor's own addresses"],
    ['9.9.9.9', "the address of a node's BMC"],
    ['fe80::1', 'a link-local address'],
  ])('refuses %s and names the setting', (address, why) => {
    expect(refusedAddress(address, rules())).toContain(why);
    expect(refusedAddress(address, rules())).toContain('outbound.allow');
  });

  it('allows special-purpose addresses in allowed networks', () => {
    expect(refusedAddress('10.1.2.3', rules('10.0.0.0/8'))).toBeUndefined();
    expect(refusedAddress('fd12::1', rules('fd00::/8'))).toBeUndefined();
    expect(refusedAddress('192.168.0.1', rules('10.0.0.0/8'))).toBeDefined();
  });

  it.each(['10.0.0.1', '10.0.9.9', '10.0.9.10', '127.0.0.1', '169.254.169.254', '8.8.4.4'])(
    'allows %s only by its single address',
    (address) => {
      expect(refusedAddress(address, rules('0.0.0.0/0'))).toContain('name this one address');
      expect(refusedAddress(address, rules(`${address}/31`))).toContain(`"${address}/32"`);
      expect(refusedAddress(address, rules(address))).toBeUndefined();
    },
  );

  it.each(['127.0.0.1', '127.0.0.2', '10.0.0.1', '0.0.0.0', '::1', '::ffff:127.0.0.1'])(
    'never allows the ports of the conductor itself on %s',
    (address) => expect(refusedAddress(address, rules(address), 6385)).toContain('the conductor itself'),
  );

  it('allows the same ports elsewhere', () =>
    expect(refusedAddress('10.0.0.2', rules('10.0.0.0/8'), 6385)).toBeUndefined());

  it('judges the address inside another one too', () => {
    expect(refusedAddress('64:ff9b::8.8.8.8', rules('64:ff9b::/96'))).toBeUndefined();
    expect(refusedAddress('64:ff9b::10.0.0.9', rules('64:ff9b::/96'))).toContain('10.0.0.9 is a private');
    expect(refusedAddress('64:ff9b::169.254.169.254', rules('64:ff9b::/96', '0.0.0.0/0'))).toContain(
      'metadata',
    );
  });

  it('refuses what is no address', () => {
    expect(refusedAddress('fe80::1%eth0', rules())).toContain('not an IP address');
  });
});

describe('addresses of agents', () => {
  it.each(['10.1.2.3', '192.168.3.4', 'fd12::1', '8.8.8.8', '192.0.2.7'])('%s can be one', (address) =>
    expect(refusedForCallback(address, ['10.0.0.1'])).toBeUndefined(),
  );

  it.each([
    '10.0.0.1',
    '::ffff:10.0.0.1',
    '127.0.0.1',
    '::1',
    '0.0.0.0',
    '169.254.1.1',
    '169.254.169.254',
    'fe80::1',
    '224.0.0.1',
    '64:ff9b::7f00:1',
    'agent.test',
  ])('%s cannot', (address) => expect(refusedForCallback(address, ['10.0.0.1'])).toBeDefined());
});
