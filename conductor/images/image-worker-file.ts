/** Where the program of the worker thread is. bin/bundle.js replaces this file by one that contains the program. */
export const IMAGE_WORKER = new URL('./image-worker.ts', import.meta.url);
