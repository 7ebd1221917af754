/**
 * Which TFTP transfers are running, and whether there is room for one more: so many per address, so many in all.
 */

/** In all. */
const MAX_TRANSFERS = 1_000;

export interface RunningTransfer {
  readonly address: string;
  /** Whether the client has sent an ACK. Before that, the source of its request may be forged. */
  isProven(): boolean;
  /** The request has come again; so many more bytes may be sent for it. */
  askedAgain(credit: number): void;
  end(): void;
}

export interface TftpRoom {
  get(key: string): RunningTransfer | undefined;
  set(key: string, transfer: RunningTransfer): void;
  /** False if another transfer has this key by now, or none. */
  delete(key: string, transfer: RunningTransfer): boolean;
  /**
   * Whether one more transfer of this address may start. If there are too many, the oldest one without any ACK is
   * given up, so that forged requests do not use up the transfers of another address.
   */
  make(address: string): boolean;
  endAll(): void;
}

export function createTftpRoom(limits: { readonly perAddress: number }): TftpRoom {
  const transfers = new Map<string, RunningTransfer>();
  return {
    get: (key) => transfers.get(key),
    set: (key, transfer) => void transfers.set(key, transfer),
    delete: (key, transfer) => transfers.get(key) === transfer && transfers.delete(key),
    make(address) {
      const all = [...transfers];
      const own = all.filter(([, running]) => running.address === address);
      const isFull = own.length >= limits.perAddress;
      if (!isFull && all.length < MAX_TRANSFERS) return true;
      const oldest = (isFull ? own : all).find(([, running]) => !running.isProven());
      if (oldest === undefined) return false;
      const [key, running] = oldest;
      transfers.delete(key);
      running.end();
      return true;
    },
    endAll() {
      for (const { end } of [...transfers.values()]) end();
      transfers.clear();
    },
  };
}
