import { defineConfig } from 'vitest/config';

/**
 * unit      beside the sources: no root, no network but loopback, seconds
 * protocol  our parts against real programs (ipmi_sim, tftp and dhcp clients, the baremetal client); root, network namespaces
 * lab       whole machines in QEMU
 */
const sources = ['shared', 'agent', 'conductor', 'ramdisk-build', 'test'];
const files = (ending: string) => sources.map((dir) => `${dir}/**/*.${ending}`);
/** Two files at a time: most of a protocol test and half of a lab machine's boot is waiting. */
const pairs = { maxWorkers: 2 } as const;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: files('test.ts'),
          // What takes a second may take ten on a machine that has other work.
          testTimeout: 20_000,
          hookTimeout: 60_000,
          exclude: [...files('protocol.test.ts'), ...files('lab.test.ts'), '**/node_modules/**'],
        },
      },
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
