/**
 * What an operation waits for: a kind that rules go by, and a text that operators read.
 */
export type WaitKind =
  /** The agent to boot, to report or to answer. */
  | 'agent'
  /** A command of the agent to end. */
  | 'command'
  /** An image to be prepared. */
  | 'image'
  /** Hardware to finish what it was told. */
  | 'hardware'
  /** A time that was asked for. */
  | 'time'
  /** The verb `unhold`. */
  | 'operator';

export interface WaitingFor {
  readonly kind: WaitKind;
  /** "agent to call back", "write_image". */
  readonly text: string;
}

/** An abort cuts a wait of this kind even in a step that may not be cut: nothing is at work on the machine. */
export const CUT_BY_ABORT: Readonly<Record<WaitKind, boolean>> = {
  agent: true,
  command: false,
  image: false,
  hardware: false,
  time: false,
  operator: false,
};
