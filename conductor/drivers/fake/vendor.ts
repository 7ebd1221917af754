/**
 * Vendor and console of fake hardware. The vendor methods are those of Ironic's; each only compares its argument
 * `bar` with a word.
 */
import type { VendorMethod } from '../../domain/driver-parts.ts';
import type { DriverInterface } from '../../domain/drivers.ts';
import { IngotError } from '../../domain/errors.ts';
import type { FakeBehaviour } from './behaviour.ts';
import { EVERYWHERE, manual } from './configuration.ts';

/** Name -> the word for which it answers true, and whether callers get their answer before it ends. */
const METHODS = {
  second_method: { word: 'kazoo', async: true },
  third_method_sync: { word: 'meow', async: false },
  fourth_method_shared_lock: { word: 'woof', async: true, sharesNode: true },
} as const;

export function createFakeVendor({ always, act, steps }: FakeBehaviour): DriverInterface {
  const method = (
    name: string,
    { word, ...how }: { word: string } & Pick<VendorMethod, 'async' | 'sharesNode'>,
  ): VendorMethod => ({
    ...how,
    httpMethods: ['POST'],
    description: `Test if the value of bar is ${word}`,
    async call(context, { bar }) {
      if (bar === undefined || bar === null || bar === '') {
        throw new IngotError('missingParameter', `Parameter 'bar' not passed to method '${name}'.`);
      }
      await act(context, 'vendor', name);
      return bar === word;
    },
  });
  return {
    ...always,
    steps: steps('vendor', manual([{ step: 'log_passthrough' }], EVERYWHERE)),
    vendorMethods: Object.fromEntries(
      Object.entries(METHODS).map(([name, spec]) => [name, method(name, spec)]),
    ),
  };
}

/** Starts and stops; there is nothing to connect to. */
export function createFakeConsole({ always, act }: FakeBehaviour): DriverInterface {
  return {
    ...always,
    console: {
      start: (context) => act(context, 'console', 'start_console'),
      stop: (context) => act(context, 'console', 'stop_console'),
      describe: () => ({}),
    },
  };
}
