/**
 * Double buffering: while one buffer is written to the disk the other is filled from the network. The source waits
 * while both are full.
 */
export const BUFFER_BYTES = 4 * 1024 * 1024;

type Failure = { readonly error: unknown } | undefined;

/**
 * Returns the number of bytes written. The first buffer is written before the source is read further, since its writer
 * may refuse the image.
 */
export async function writeDoubleBuffered(
  chunks: AsyncIterable<Buffer>,
  write: (buffer: Buffer, offset: number) => Promise<void>,
  bufferBytes = BUFFER_BYTES,
): Promise<number> {
  let filling = Buffer.allocUnsafeSlow(bufferBytes);
  let other = Buffer.allocUnsafeSlow(bufferBytes);
  let [filled, offset] = [0, 0];
  let underway: Promise<Failure> = Promise.resolve(undefined);

  async function writeFinished(): Promise<void> {
    const failure = await underway;
    if (failure !== undefined) throw failure.error;
  }

  async function handOver(): Promise<void> {
    await writeFinished();
    underway = settled(write(filling.subarray(0, filled), offset));
    if (offset === 0) await writeFinished();
    offset += filled;
    filled = 0;
    [filling, other] = [other, filling];
  }

  try {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; ) {
        const part = Math.min(chunk.length - at, bufferBytes - filled);
        chunk.copy(filling, filled, at, at + part);
        filled += part;
        at += part;
        if (filled === bufferBytes) await handOver();
      }
    }
    if (filled > 0) await handOver();
    await writeFinished();
    return offset;
  } finally {
    // The caller closes the disk next, which must not happen during a write.
    await underway;
  }
}

/** Never rejects, because a write may fail while nothing awaits it. */
const settled = (work: Promise<void>): Promise<Failure> =>
  work.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
