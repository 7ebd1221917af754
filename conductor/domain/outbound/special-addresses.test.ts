import { describe, expect, it } from 'vitest';
import { formatAddress, parseAddress } from '../ip-address.ts';
import { embeddedIpv4, specialRangeOf, unmapped } from './special-addresses.ts';

const at = (text: string) => {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(text);
  return address;
};

describe('special addresses', () => {
  it.each([
    ['0.0.0.0', 'unspecified'],
    ['0.255.255.255', 'unspecified'],
    ['10.0.0.0', 'private'],
    ['10.255.255.255', 'private'],
    ['100.64.0.0', 'private'],
    ['100.127.255.255', 'private'],
    ['100.100.100.200', 'metadata'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['168.63.129.16', 'metadata'],
    ['169.254.1.1', 'link-local'],
    ['169.254.169.254', 'metadata'],
    ['172.16.0.0', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.1', 'reserved'],
    ['192.0.0.192', 'metadata'],
    ['192.0.2.1', 'reserved'],
    ['192.31.196.1', 'reserved'],
    ['192.52.193.1', 'reserved'],
    ['192.88.99.1', 'translated'],
    ['192.168.255.255', 'private'],
    ['192.175.48.1', 'reserved'],
    ['198.18.0.0', 'reserved'],
    ['198.19.255.255', 'reserved'],
    ['198.51.100.1', 'reserved'],
    ['203.0.113.1', 'reserved'],
    ['224.0.0.1', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::2', 'translated'],
    ['::127.0.0.1', 'translated'],
    ['::ffff:8.8.8.8', 'translated'],
    ['64:ff9b::8.8.8.8', 'translated'],
    ['64:ff9b:1::1', 'translated'],
    ['100::1', 'reserved'],
    ['2001::1', 'translated'],
    ['2001:2::1', 'reserved'],
    ['2001:10::1', 'reserved'],
    ['2001:20::1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['2002:808:808::1', 'translated'],
    ['2620:4f:8000::1', 'reserved'],
    ['3fff::1', 'reserved'],
    ['5f00::1', 'reserved'],
    ['fc00::1', 'private'],
    ['fd00:ec2::254', 'metadata'],
    ['fd12::1', 'private'],
    ['fe80::1', 'link-local'],
    ['fe80::a9fe:a9fe', 'metadata'],
    ['fec0::1', 'private'],
    ['ff02::1', 'multicast'],
    ['4000::1', 'reserved'],
  ])('%s is %s', (text, kind) => expect(specialRangeOf(at(text))?.kind).toBe(kind));

  it.each([
    '1.0.0.0',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:200::1',
    '2606:4700::1111',
    '2a00:1450:4001::1',
    '3ffe::1',
  ])('%s is ordinary', (text) => expect(specialRangeOf(at(text))).toBeUndefined());

  it.each([
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['64:ff9b::169.254.169.254', '169.254.169.254'],
    ['64:ff9b:1::127.0.0.1', '127.0.0.1'],
    ['2002:a9fe:a9fe::1', '169.254.169.254'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', '192.0.2.45'],
  ])('%s contains %s', (text, inner) => {
    const found = embeddedIpv4(at(text));
    expect(found && formatAddress(found)).toBe(inner);
  });

  it('contains no IPv4 address in others', () => {
    expect(embeddedIpv4(at('2606:4700::1111'))).toBeUndefined();
    expect(formatAddress(unmapped(at('::ffff:10.0.0.1')))).toBe('10.0.0.1');
    expect(formatAddress(unmapped(at('64:ff9b::a00:1')))).toBe('64:ff9b::a00:1');
  });
});
