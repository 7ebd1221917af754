/**
 * An open RMCP+ session: numbers, signs and encrypts requests, and finds the authentic answer among received packets.
 *
 * All tries of a command carry the same rqSeq, so a late answer to an earlier try is accepted. Each try has its own
 * session sequence number, because a BMC drops repeated numbers.
 */
import { randomBytes } from 'node:crypto';
import type { Command } from '@ingot/shared/codec/ipmi/command.ts';
import {
  decodeLanResponse,
  encodeLanRequest,
  type LanResponse,
} from '@ingot/shared/codec/ipmi/lan-message.ts';
import { IV_BYTES } from '@ingot/shared/codec/ipmi/payload-encryption.ts';
import { decodeRmcp, encodeRmcp } from '@ingot/shared/codec/ipmi/rmcp.ts';
import { advance, EMPTY_WINDOW } from '@ingot/shared/codec/ipmi/sequence-window.ts';
import type { SessionKeys } from '@ingot/shared/codec/ipmi/session-keys.ts';
import { seal, unseal } from '@ingot/shared/codec/ipmi/session-seal.ts';
import type { Question } from './retransmission.ts';

export interface SessionIds {
  /** Our id, in packets to us. */
  readonly console: number;
  /** The BMC's id, in packets to it. */
  readonly bmc: number;
}

export class Session {
  readonly ids: SessionIds;
  readonly keys: SessionKeys;
  #sequence = 0;
  #requestSequence = 0;
  #window = EMPTY_WINDOW;

  constructor(ids: SessionIds, keys: SessionKeys) {
    this.ids = ids;
    this.keys = keys;
  }

  /** The question for one command: encodes a packet for each try and accepts only the answer to this command. */
  question<Request>(
    command: Command<Request, unknown>,
    request: Request,
    maxTries?: number,
  ): Question<LanResponse> {
    const sequence = (this.#requestSequence + 1) & 0x3f;
    this.#requestSequence = sequence;
    const message = encodeLanRequest({
      netFn: command.netFn,
      sequence,
      command: command.code,
      data: command.encodeRequest(request),
    });
    return {
      datagram: () => this.#sealed(message),
      accept: (datagram) => this.#answer(datagram, command, sequence),
      ...(maxTries === undefined ? {} : { maxTries }),
    };
  }

  #sealed(message: Buffer): Buffer {
    // The number does not wrap: no session lives for 2^32 packets.
    this.#sequence += 1;
    const sealed = { sessionId: this.ids.bmc, sequence: this.#sequence, message };
    return encodeRmcp(seal(this.keys, sealed, randomBytes(IV_BYTES)));
  }

  #answer(
    datagram: Buffer,
    command: Pick<Command<unknown, unknown>, 'netFn' | 'code'>,
    sequence: number,
  ): LanResponse | undefined {
    const session = decodeRmcp(datagram);
    if (!session.ok) return undefined;
    const sealed = unseal(this.keys, this.ids.console, session.value);
    if (!sealed.ok) return undefined;
    const window = advance(this.#window, sealed.value.sequence);
    if (window === undefined) return undefined;
    this.#window = window;
    const response = decodeLanResponse(sealed.value.message);
    if (!response.ok) return undefined;
    const { value } = response;
    const isOurs =
      value.netFn === command.netFn + 1 && value.command === command.code && value.sequence === sequence;
    return isOurs ? value : undefined;
  }
}
