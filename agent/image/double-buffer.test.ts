import { expect, it } from 'vitest';
import { fc } from '../../test/random-cases.ts';
import { writeDoubleBuffered } from './double-buffer.ts';

async function* of(chunks: Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

/** A promise that the test resolves. */
function gate(): { readonly opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

it('writes all bytes in order for any chunks, in full buffers except the last', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 40 })),
      fc.integer({ min: 1, max: 16 }),
      async (chunks, bufferBytes) => {
        const written: { offset: number; data: Buffer }[] = [];
        const total = await writeDoubleBuffered(
          of(chunks),
          async (buffer, offset) => {
            await Promise.resolve();
            written.push({ offset, data: Buffer.from(buffer) });
          },
          bufferBytes,
        );
        const all = Buffer.concat(chunks);
        expect(total).toBe(all.length);
        expect(Buffer.concat(written.map(({ data }) => data))).toEqual(all);
        expect(written.map(({ offset }) => offset)).toEqual(written.map((_, i) => i * bufferBytes));
      },
    ),
  );
});

it('reads while a buffer is written, but no further than one buffer', async () => {
  const writing = gate();
  const read: number[] = [];
  async function* source(): AsyncGenerator<Buffer> {
    for (let i = 0; i < 5; i += 1) {
      read.push(i);
      if (i === 2) setImmediate(writing.open);
      yield Buffer.alloc(4, i);
    }
  }
  const total = await writeDoubleBuffered(
    source(),
    async (_, offset) => {
      if (offset === 4) {
        // The third chunk is read only while this second one is being written.
        expect(read).toEqual([0, 1]);
        await writing.opened;
        expect(read).toEqual([0, 1, 2]);
      }
    },
    4,
  );
  expect(total).toBe(20);
});

it('reads nothing more when the first buffer is refused', async () => {
  const read: number[] = [];
  async function* source(): AsyncGenerator<Buffer> {
    for (let i = 0; i < 5; i += 1) {
      read.push(i);
      yield Buffer.alloc(4, i);
    }
  }
  const refused = writeDoubleBuffered(
    source(),
    async () => {
      throw new Error('refused');
    },
    4,
  );
  await expect(refused).rejects.toThrow('refused');
  expect(read).toEqual([0]);
});

it.each([4, 8, 16])('fails with the write at %i', async (at) => {
  const chunks = Array.from({ length: 5 }, () => Buffer.alloc(4));
  const failing = writeDoubleBuffered(
    of(chunks),
    async (_, offset) => {
      if (offset === at) throw new Error('the disk broke');
    },
    4,
  );
  await expect(failing).rejects.toThrow('the disk broke');
});

it('waits for the running write when the source fails', async () => {
  const writing = gate();
  let landed = false;
  async function* source(): AsyncGenerator<Buffer> {
    yield Buffer.alloc(8);
    setImmediate(writing.open);
    throw new Error('the source broke');
  }
  const failing = writeDoubleBuffered(
    source(),
    async (_, offset) => {
      if (offset === 0) return;
      await writing.opened;
      landed = true;
    },
    4,
  );
  await expect(failing).rejects.toThrow('the source broke');
  expect(landed).toBe(true);
});
