/**
 * A command that fails for a known reason, with a text for the user and the exit code.
 */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
  }
}
