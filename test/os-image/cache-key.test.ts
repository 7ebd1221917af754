import { describe, expect, it } from 'vitest';
import { cacheKey, type KeyInputs, ownSources } from './cache-key.ts';

const GIVEN: KeyInputs = {
  packages: [
    { name: 'bash', version: '5.2', sha256: 'aa' },
    { name: 'jq', version: '1.6', sha256: 'bb' },
  ],
  tools: { e2fsprogs: '1.47.0', mtools: '4.0.32' },
  sources: new Map([
    ['test/os-image/build.ts', Buffer.from('one')],
    ['test/os-image/rootfs/rc', Buffer.from('two')],
  ]),
};
const [bash, jq] = GIVEN.packages as [KeyInputs['packages'][0], KeyInputs['packages'][0]];

const CHANGES: Readonly<Record<string, Partial<KeyInputs>>> = {
  'another version of a package': { packages: [bash, { ...jq, version: '1.7' }] },
  'another file of the same version': { packages: [bash, { ...jq, sha256: 'cc' }] },
  'an additional package': { packages: [...GIVEN.packages, { name: 'vim', version: '9', sha256: 'dd' }] },
  'a missing package': { packages: [bash] },
  'another mke2fs': { tools: { ...GIVEN.tools, e2fsprogs: '1.47.1' } },
  'an edited source': { sources: new Map([...GIVEN.sources, ['test/os-image/rootfs/rc', Buffer.from('2')]]) },
  'a source under another name': {
    sources: new Map([...GIVEN.sources].map(([path, data]) => [path.replace('rc', 'rc2'), data])),
  },
  'two sources swapped': {
    sources: new Map([
      ['test/os-image/build.ts', Buffer.from('two')],
      ['test/os-image/rootfs/rc', Buffer.from('one')],
    ]),
  },
};

describe('cache key of the test operating system', () => {
  it.each(Object.entries(CHANGES))('changes with %s', (_, change) => {
    expect(cacheKey({ ...GIVEN, ...change })).not.toBe(cacheKey(GIVEN));
  });

  it('does not change with the order of the inputs', () => {
    const turned: KeyInputs = {
      packages: [...GIVEN.packages].reverse(),
      tools: Object.fromEntries(Object.entries(GIVEN.tools).reverse()),
      sources: new Map([...GIVEN.sources].reverse()),
    };
    expect(cacheKey(turned)).toBe(cacheKey(GIVEN));
  });

  it('uses the sources and the files of the system, but no tests', async () => {
    const paths = [...(await ownSources()).keys()];
    for (const path of ['build.ts', 'disk.ts', 'contents.ts', 'rootfs/init', 'rootfs/rc'])
      expect(paths).toContain(`test/os-image/${path}`);
    expect(paths).toContain('ramdisk-build/cpio.ts');
    expect(paths.filter((path) => path.endsWith('.test.ts'))).toEqual([]);
  });
});
