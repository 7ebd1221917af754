import { describe, expect, it } from 'vitest';
import type { CpioEntry } from './cpio.ts';
import { overBudget, sizeReport } from './size-report.ts';

const noise = (bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, i) => (Math.imul(i + 1, 2654435761) >>> 13) & 0xff);
const file = (path: string, data: Uint8Array): CpioEntry => ({ kind: 'file', path, mode: 0o644, data });

const ENTRIES: readonly CpioEntry[] = [
  file('usr/bin/ingot-agent', noise(60_000)),
  file('lib/modules/6.1/kernel/drivers/net/e1000.ko', noise(20_000)),
  file('lib/firmware/bnx2x/one.fw', noise(5_000)),
  file('lib/x86_64-linux-gnu/libc.so.6', noise(10_000)),
  file('usr/sbin/nvme', noise(3_000)),
  file('init', noise(500)),
  { kind: 'directory', path: 'dev' },
];
const measure = (budgetBytes: number) =>
  sizeReport({ entries: ENTRIES, kernelBytes: 8_000, ramdiskBytes: 50_000, budgetBytes });

describe('size report', () => {
  it('puts every file into the group of its path', async () => {
    const { groups } = await measure(1e6);
    expect(Object.fromEntries(groups.map(({ name, bytes }) => [name, bytes]))).toEqual({
      'agent with Node': 60_000,
      'kernel modules': 20_000,
      'shared libraries': 10_000,
      kernel: 8_000,
      firmware: 5_000,
      programs: 3_000,
      'init and the rest': 500,
    });
  });

  it('divides the packed size so that the groups add up to the total', async () => {
    const { groups, totalBytes } = await measure(1e6);
    const packed = groups.reduce((sum, one) => sum + one.packedBytes, 0);
    expect(totalBytes).toBe(58_000);
    expect(Math.abs(packed - totalBytes)).toBeLessThan(groups.length);
    expect(groups[0]!.name).toBe('agent with Node');
  });

  it('reports nothing at exactly the size limit', async () => {
    expect(overBudget(await measure(58_000))).toBeUndefined();
  });

  it('names the biggest groups and files one byte above it', async () => {
    const text = overBudget(await measure(57_999));
    expect(text).toContain('over the budget of 0.1 MB');
    expect(text).toContain('agent with Node');
    expect(text).toContain('usr/bin/ingot-agent');
    expect(text).toContain('lib/modules/6.1/kernel/drivers/net/e1000.ko');
    expect(text).toContain('contents.ts');
  });
});
