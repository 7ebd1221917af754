/**
 * What an operation waits for: a kind for the rules, and a text for operators.
 */
export type WaitKind =
  /** The agent must boot, report or answer. */
  | 'agent'
  /** A command of the agent must end. */
  | 'command'
  /** An image must be prepared. */
  | 'image'
  /** The hardware must finish a command. */
  | 'hardware'
  /** A requested time must come. */
  | 'time'
  /** The verb `unhold`. */
  | 'operator';

export interface WaitingFor {
  readonly kind: WaitKind;
  /** "agent to call back", "write_image". */
  readonly text: string;
}

/**
 * An abort interrupts a wait of this kind even in a step that is not abortable, because nothing runs on the machine.
 */
export const CUT_BY_ABORT: Readonly<Record<WaitKind, boolean>> = {
  agent: true,
  command: false,
  image: false,
  hardware: false,
  time: false,
  operator: false,
};
