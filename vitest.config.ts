import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/**
 * unit      beside the sources: no root, no network but loopback, seconds
 * protocol  our parts against real programs (ipmi_sim, tftp and dhcp clients, the baremetal client); root, network namespaces
 * lab       whole machines in QEMU
 */
const sources = ['shared', 'agent', 'conductor', 'ramdisk-build', 'test'];
const files = (ending: string) => sources.map((dir) => `${dir}/**/*.${ending}`);
const OTHERS = [...files('protocol.test.ts'), ...files('lab.test.ts'), '**/node_modules/**'];
/**
 * `npm run check` loads each module once for all unit tests, which takes half the time. Only tests that replace modules
 * get modules of their own then. The longest suites are left to `npm test`.
 */
const fast = process.env['TEST_FAST'] !== undefined;
const LONGEST = [
  'conductor/auth/keystone.test.ts',
  'conductor/cli/cli.test.ts',
  'conductor/engine/life-verbs.test.ts',
  'conductor/images/cache-eviction.test.ts',
  'conductor/store/store.test.ts',
  'conductor/store/sqlite/durability.test.ts',
  'test/bad-input-work.test.ts',
  'test/bundle.test.ts',
  'test/compute-crash.test.ts',
  'test/fuzz/**',
  'test/life-cycle.test.ts',
];
const replacing = fast
  ? globSync(files('test.ts'), { exclude: OTHERS }).filter((file) =>
      readFileSync(file, 'utf8').includes('vi.mock('),
    )
  : [];
/** `expect.poll` ends as soon as its condition holds, so a long limit costs nothing. */
const POLLING = { expect: { poll: { timeout: 10_000 } } } as const;
/** What takes a second may take ten on a machine that has other work. */
const UNIT_LIMITS = { testTimeout: 20_000, hookTimeout: 60_000, ...POLLING } as const;
/** Two files at a time: most of a protocol test and half of a lab machine's boot is waiting. */
const pairs = { maxWorkers: 2, ...POLLING } as const;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: files('test.ts'),
          exclude: [...OTHERS, ...replacing, ...(fast ? LONGEST : [])],
          isolate: !fast,
          ...UNIT_LIMITS,
        },
      },
      ...(fast ? [{ test: { name: 'unit-replacing', include: replacing, ...UNIT_LIMITS } }] : []),
      {
        test: {
          name: 'protocol',
          include: files('protocol.test.ts'),
          testTimeout: 120_000,
          hookTimeout: 120_000,
          setupFiles: ['test/own-temporary-directory.ts'],
          ...pairs,
        },
      },
      {
        test: {
          name: 'lab',
          include: files('lab.test.ts'),
          testTimeout: 1_800_000,
          hookTimeout: 900_000,
          globalSetup: ['test/lab/build-ingredients.ts'],
          ...pairs,
        },
      },
    ],
  },
});
