import { describe, expect, it } from 'vitest';
import { bootTrustOf } from './boot-trust.ts';
import { parseCommandLine } from './config.ts';

const PIN = 'p'.repeat(43);
const WORDS = `ingot.api-url=https://192.0.2.1:8090/ ingot.pin=${PIN} ingot.node=uuid ingot.boot-secret=s3cret`;
const trustOf = (line: string) => bootTrustOf(parseCommandLine(line).config);

describe('the conductor that booted this machine', () => {
  it('is on the kernel command line', () => {
    expect(trustOf(`quiet ${WORDS} BOOTIF=01-52`)).toEqual({
      apiUrl: 'https://192.0.2.1:8090',
      pin: PIN,
      nodeUuid: 'uuid',
      bootSecret: 's3cret',
    });
  });

  it('is not known without a pin', () => {
    expect(trustOf('ipa-api-url=http://192.0.2.1')).toBeNull();
  });

  it.each([
    ['ingot.pin', WORDS.replace(PIN, 'short'), 'is not the pin of a public key'],
    ['ingot.api-url', WORDS.replace('https:', 'http:'), 'ingot.api-url is not an https URL'],
    ['ingot.api-url', WORDS.replace('ingot.api-url', 'x'), 'ingot.api-url is not an https URL'],
    ['ingot.node', WORDS.replace('ingot.node', 'x'), 'ingot.node or ingot.boot-secret is not'],
    ['ingot.boot-secret', WORDS.replace('ingot.boot-secret', 'x'), 'ingot.node or ingot.boot-secret is not'],
  ])('is refused as a whole without a good %s', (_, line, message) => {
    expect(() => trustOf(line)).toThrow(message);
  });
});
