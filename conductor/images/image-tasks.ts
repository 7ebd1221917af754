/** What image-worker.ts can do, by name. */
import { examineDeclared, inspectImage } from './inspect.ts';
import { unpackQcow2 } from './unpack.ts';

export const IMAGE_TASKS = {
  inspect: inspectImage,
  examine: examineDeclared,
  unpack: unpackQcow2,
} as const;

export type ImageTasks = typeof IMAGE_TASKS;
export type ImageTaskName = keyof ImageTasks;

/** The work of one worker. */
export interface ImageTask<Name extends ImageTaskName = ImageTaskName> {
  readonly name: Name;
  readonly args: Parameters<ImageTasks[Name]>;
}

/** What a worker answers; `code` is that of a system error, such as ENOSPC. */
export type ImageTaskAnswer =
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | null };
