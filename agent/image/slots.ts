/**
 * Gathers chunks into slots and writes them in turn: while one slot is written the other fills, so that
 * network and disk are busy at once. The source waits when both are full.
 */
export const SLOT_BYTES = 4 * 1024 * 1024;

type Failure = { readonly error: unknown } | undefined;

/**
 * Answers the bytes written. The first slot is written before anything after it is asked for: its
 * writer may refuse the whole.
 */
export async function writeSlots(
  chunks: AsyncIterable<Buffer>,
  write: (slot: Buffer, offset: number) => Promise<void>,
  slotBytes = SLOT_BYTES,
): Promise<number> {
  let filling = Buffer.allocUnsafeSlow(slotBytes);
  let other = Buffer.allocUnsafeSlow(slotBytes);
  let [filled, offset] = [0, 0];
  let underway: Promise<Failure> = Promise.resolve(undefined);

  async function landed(): Promise<void> {
    const failure = await underway;
    if (failure !== undefined) throw failure.error;
  }

  async function handOver(): Promise<void> {
    await landed();
    underway = settled(write(filling.subarray(0, filled), offset));
    if (offset === 0) await landed();
    offset += filled;
    filled = 0;
    [filling, other] = [other, filling];
  }

  try {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; ) {
        const part = Math.min(chunk.length - at, slotBytes - filled);
        chunk.copy(filling, filled, at, at + part);
        filled += part;
        at += part;
        if (filled === slotBytes) await handOver();
      }
    }
    if (filled > 0) await handOver();
    await landed();
    return offset;
  } finally {
    // Whoever closes the disk next must not do it under a write.
    await underway;
  }
}

/** Never rejects: nobody may be waiting at the moment a write fails. */
const settled = (work: Promise<void>): Promise<Failure> =>
  work.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
