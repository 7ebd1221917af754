/**
 * Bounds on what an agent may say. An agent is not trusted: a stranger may pretend to be one, and so may a program
 * that a former tenant left in the machine.
 */
import { type Json, textOf } from '../json.ts';

/** The largest answer of an agent. */
export const MOST_ANSWER_BYTES = 1024 * 1024;
/** The steps of one agent for one operation. */
export const MOST_STEPS = 256;
/** Arguments of a step, hardware managers of an agent. */
export const MOST_ENTRIES = 64;
/** A text for people: an error, a message. */
const LONGEST_TEXT = 4096;
/** One line: the name of a step, of a command, of a disk. */
const LONGEST_NAME = 255;

/** Control characters, line separators and marks of the writing direction can change what a terminal shows. */
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;
/** Texts may have several lines. */
const CONTROLS_BUT_LINES = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

function bounded(text: string, longest: number, controls: RegExp): string {
  const mark = text.length > longest ? ` [cut from ${text.length} characters]` : '';
  return (
    text
      .slice(0, longest - mark.length)
      .toWellFormed()
      .replaceAll(controls, '\u{fffd}') + mark
  );
}

/** The text with lines and tabs, but without other control characters. */
export const withoutControls = (text: string): string =>
  text.replaceAll('\r\n', '\n').toWellFormed().replaceAll(CONTROLS_BUT_LINES, '\u{fffd}');

/** A text for people without control characters. One that is too long is cut, and its end says so. */
export const boundedText = (text: string): string =>
  bounded(text.replaceAll('\r\n', '\n'), LONGEST_TEXT, CONTROLS_BUT_LINES);

/** The same for one line. */
export const boundedName = (value: Json): string => bounded(textOf(value), LONGEST_NAME, CONTROLS);

/** Whether it is one short line, which need not be changed. */
export const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value === boundedName(value);

/** Bytes, numbers of processors and the like. */
export const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
