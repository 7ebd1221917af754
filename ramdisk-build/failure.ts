/**
 * An error that the operator can fix. It is shown as one line of text without a stack trace.
 */
export class BuildFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BuildFailure';
  }
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space there, or choose another place',
  EDQUOT: 'the disk quota is used up; free some space there, or choose another place',
  EACCES: 'no permission; run as a user who may write there, or choose another place',
  EPERM: 'no permission; run as a user who may write there, or choose another place',
  EROFS: 'the file system is read-only; choose another place',
  ENOTDIR: 'part of the path is a file and not a directory; choose another place',
  EEXIST: 'there is a file of that name where a directory is needed; choose another place',
};

/** Explains a file error in the directory given by `option`. Returns other errors unchanged. */
export function explainFileError(error: unknown, option: string, dir: string): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  const meaning = code === undefined ? undefined : FILE_ERRORS[code];
  if (meaning === undefined) return error;
  return new BuildFailure(`${option} ${dir}: ${meaning}`, { cause: error });
}
