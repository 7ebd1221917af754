/**
 * The transfers of image data that are running, at most one per image.
 */
import { IngotError } from '../domain/errors.ts';
import { missingImage } from './image-access.ts';

export interface Transfer {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
  readonly end: () => void;
}

export interface RunningTransfers {
  /** Throws conflict if the image has a transfer, and unavailable after `stop`. */
  begin(uuid: string): Transfer;
  /** Must be called when the transfer has ended, whether it was cancelled or not. */
  finish(uuid: string, transfer: Transfer): void;
  /** Whether this is still the transfer of the image: false after `cancel`. */
  isCurrent(uuid: string, transfer: Transfer): boolean;
  /** Aborts the transfer of an image that is being deleted. */
  cancel(uuid: string): void;
  isStopping(): boolean;
  /** Aborts all transfers and waits until they have ended. */
  stop(): Promise<void>;
}

export function createRunningTransfers(): RunningTransfers {
  const current = new Map<string, Transfer>();
  let isStopping = false;

  return {
    begin(uuid) {
      if (isStopping) throw shuttingDown();
      if (current.has(uuid)) throw busy(uuid);
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const transfer = { controller: new AbortController(), ended, end };
      current.set(uuid, transfer);
      return transfer;
    },
    finish(uuid, transfer) {
      if (current.get(uuid) === transfer) current.delete(uuid);
      transfer.end();
    },
    isCurrent: (uuid, transfer) => current.get(uuid) === transfer,
    cancel(uuid) {
      const transfer = current.get(uuid);
      current.delete(uuid);
      transfer?.controller.abort(missingImage(uuid));
    },
    isStopping: () => isStopping,
    async stop() {
      isStopping = true;
      const left = [...current.values()];
      for (const { controller } of left) controller.abort(shuttingDown());
      await Promise.all(left.map(({ ended }) => ended));
    },
  };
}

const shuttingDown = (): IngotError =>
  new IngotError('unavailable', 'The conductor is shutting down: send the data again when it is back.');

const busy = (uuid: string): IngotError =>
  new IngotError('conflict', `Image ${uuid} already receives its data: wait until that transfer has ended.`);
