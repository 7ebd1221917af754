/** The interface of the load generator for benchmarks. */
import { fork } from 'node:child_process';
import type { LoadJob, LoadResult } from './load-process.ts';

export interface LoadGenerator {
  /** One job at a time. Throws when the process has ended. */
  run(job: LoadJob): Promise<LoadResult>;
  stop(): void;
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(new URL('load-process.ts', import.meta.url));
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        const ended = () => reject(new Error('the load generator has ended'));
        child.once('exit', ended);
        child.once('message', (result) => {
          child.off('exit', ended);
          resolve(result as LoadResult);
        });
        child.send(job);
      }),
    stop: () => void child.kill(),
  };
}
