import { describe, expect, it } from 'vitest';
import { fc } from '../test/random-cases.ts';
import { type CpioEntry, decodeCpio, encodeCpio } from './cpio.ts';

const file = (path: string, text = ''): CpioEntry => ({
  kind: 'file',
  path,
  mode: 0o644,
  data: Buffer.from(text),
});

describe('cpio', () => {
  it('is read back unchanged, for any contents and lengths', () => {
    const name = fc.stringMatching(/^[a-z0-9._-]{1,12}$/).filter((text) => !/^\.+$/.test(text));
    const contents = fc.dictionary(name, fc.uint8Array({ maxLength: 40 }));
    fc.assert(
      fc.property(contents, (given) => {
        const entries = Object.entries(given).map(
          ([path, data]): CpioEntry => ({ kind: 'file', path: `dir/${path}`, mode: 0o600, data }),
        );
        const read = decodeCpio(encodeCpio(entries)).filter(({ path }) => path !== 'dir');
        expect(Object.fromEntries(read.map(({ path, data }) => [path.slice(4), [...data]]))).toEqual(
          Object.fromEntries(Object.entries(given).map(([path, data]) => [path, [...data]])),
        );
        expect(read.every(({ mode }) => mode === 0o100600)).toBe(true);
      }),
    );
  });

  it('does not depend on the order of the entries', () => {
    const entries = [file('b/two', '2'), file('a', '1'), file('b/one', '3')];
    expect(encodeCpio(entries).equals(encodeCpio([...entries].reverse()))).toBe(true);
  });

  it('adds parent directories before their contents', () => {
    expect(decodeCpio(encodeCpio([file('usr/bin/x')])).map(({ path }) => path)).toEqual([
      'usr',
      'usr/bin',
      'usr/bin/x',
    ]);
  });

  it('keeps the target of a link and the mode of a device', () => {
    const [device, link] = decodeCpio(
      encodeCpio([
        { kind: 'link', path: 'z', target: '/bin/kmod' },
        { kind: 'character device', path: 'c', mode: 0o600, major: 5, minor: 1 },
      ]),
    );
    expect(device).toMatchObject({ path: 'c', mode: 0o020600 });
    expect(link!.data.toString()).toBe('/bin/kmod');
  });

  it('rejects a duplicate path', () => {
    expect(() => encodeCpio([file('a'), file('a')])).toThrow('two entries for a');
  });

  it('rejects an archive that is truncated at any place', () => {
    const archive = encodeCpio([file('a', 'text'), file('b')]);
    for (let length = 0; length < archive.length - 20; length += 7)
      expect(() => decodeCpio(archive.subarray(0, length))).toThrow();
  });
});
