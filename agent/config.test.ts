import { describe, expect, it } from 'vitest';
import { fc } from '../test/random-cases.ts';
import { bootMac, parseCommandLine } from './config.ts';

const configOf = (line: string) => parseCommandLine(line).config;

describe('kernel command line', () => {
  it('is read in the form that our conductor writes', () => {
    const { config, remarks } = parseCommandLine(
      'ingot-ramdisk initrd=ramdisk nofb vga=normal selinux=0 troubleshoot=0 text BOOTIF=01-52-54-00-12-34-56 ' +
        'ipa-api-url=http://192.0.2.1:6385 ipa-inspection-callback-url=http://192.0.2.1:6385/v1/continue_inspection ' +
        'ipa-inspection-collectors=default,logs console=ttyS0,115200n8 console=tty0\n',
    );
    expect(config).toMatchObject({
      apiUrls: ['http://192.0.2.1:6385'],
      inspectionCallbackUrl: 'http://192.0.2.1:6385/v1/continue_inspection',
      inspectionCollectors: ['default', 'logs'],
      listenPort: 9999,
      lookupTimeoutSeconds: 600,
      agentToken: null,
    });
    expect(bootMac(config)).toBe('52:54:00:12:34:56');
    expect(remarks).toEqual([]);
  });

  it('has a default for everything', () => {
    const { config, remarks } = parseCommandLine('');
    expect(config).toMatchObject({ apiUrls: [], inspectionCallbackUrl: null, bootInterface: null });
    expect(Object.values(config).every((value) => value !== undefined && !Number.isNaN(value))).toBe(true);
    expect(remarks).toEqual([]);
  });

  it.each([
    ['a list', 'ipa-api-url=http://a,http://b,,', ['http://a', 'http://b']],
    ['the last of two', 'ipa-api-url=http://a ipa-api-url=http://b', ['http://b']],
    ['an empty one after another', 'ipa-api-url=http://a ipa-api-url=', []],
    ['underscores', 'ipa_api_url=http://a', ['http://a']],
    ['an equals sign in the value', 'ipa-api-url=http://a/?x=y', ['http://a/?x=y']],
    ['a quoted value', 'ipa-api-url="http://a, http://b"', ['http://a', 'http://b']],
    ['a quoted word', '"ipa-api-url=http://a" quiet', ['http://a']],
    ['a quote that never ends', 'quiet ipa-api-url="http://a', ['http://a']],
    ['tabs and line ends', '\tquiet\tipa-api-url=http://a\n', ['http://a']],
    ['a key that only begins so', 'ipa-api-urls=http://a', []],
    ['no value at all', 'ipa-api-url', []],
  ])('takes %s', (_, line, expected) => {
    expect(configOf(line).apiUrls).toEqual(expected);
  });

  it('keeps other words apart from quoted ones', () => {
    const config = configOf('dyndbg="file a.c +p; ipa-agent-token=wrong" ipa-agent-token=right');
    expect(config.agentToken).toBe('right');
  });

  it.each([
    ['ipa-listen-port=0', 'listenPort', 9999, 'ipa-listen-port must be a port number; using 9999'],
    ['ipa-listen-port=65536', 'listenPort', 9999, 'ipa-listen-port must be a port number; using 9999'],
    ['ipa-listen-port=0x10', 'listenPort', 9999, 'ipa-listen-port must be a port number; using 9999'],
    [
      'ipa-advertise-port=http',
      'advertisePort',
      null,
      'ipa-advertise-port must be a port number; using none',
    ],
    ['ipa-lookup-timeout=-1', 'lookupTimeoutSeconds', 600, 'seconds up to a week; using 600'],
    ['ipa-lookup-timeout=1e9', 'lookupTimeoutSeconds', 600, 'seconds up to a week; using 600'],
    ['ipa-lookup-timeout=99999999', 'lookupTimeoutSeconds', 600, 'seconds up to a week; using 600'],
    ['ipa-disk-wait-attempts=1.5', 'diskAttempts', 10, 'a whole number up to 100000; using 10'],
  ] as const)('does not use %s, and says so', (line, key, value, remark) => {
    const { config, remarks } = parseCommandLine(line);
    expect(config[key]).toBe(value);
    expect(remarks).toEqual([expect.stringContaining(remark)]);
  });

  it('names unknown settings, but not their values', () => {
    const { remarks } = parseCommandLine('ipa-debug=1 ipa-secret-thing=hunter2 quiet');
    expect(remarks).toEqual(['not used by this agent: ipa-debug, ipa-secret-thing']);
  });

  it('never throws on any text', () => {
    const piece = fc.constantFrom(
      '"',
      ' ',
      '=',
      'ipa-api-url',
      'ipa-listen-port',
      'a',
      '9',
      ',',
      '\t',
      '\0',
      'é',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (parts) => {
        const { listenPort, apiUrls } = configOf(parts.join(''));
        return listenPort > 0 && Array.isArray(apiUrls);
      }),
    );
  });
});

describe('BOOTIF', () => {
  it.each([
    ['01-52-54-00-AA-bb-cc', '52:54:00:aa:bb:cc'],
    ['52:54:00:aa:bb:cc', '52:54:00:aa:bb:cc'],
    ['52-54-00-aa-bb-cc', '52:54:00:aa:bb:cc'],
    ['net0/mac', null],
    ['52:54:00:aa:bb', null],
    ['01-52-54-00-aa-bb-cc-dd', null],
    ['', null],
  ])('%s is %s', (text, mac) => {
    expect(bootMac(configOf(`BOOTIF=${text}`))).toBe(mac);
  });

  it('uses the last value of a repeated setting', () => {
    const config = configOf('BOOTIF=01-52-54-00-00-00-01 quiet BOOTIF=01-52-54-00-00-00-02');
    expect(bootMac(config)).toBe('52:54:00:00:00:02');
  });
});
