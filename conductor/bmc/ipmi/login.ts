/**
 * Opens a usable session: tries the cipher suites in order, waits while the BMC is busy and sets the privilege level.
 */
import type { CipherSuiteId } from '@ingot/shared/codec/ipmi/cipher-suite.ts';
import { closeSession } from '@ingot/shared/codec/ipmi/close-session.ts';
import { COMPLETED, completionCodeText } from '@ingot/shared/codec/ipmi/completion-code.ts';
import { PRIVILEGE_LEVELS } from '@ingot/shared/codec/ipmi/privilege-level.ts';
import { setSessionPrivilege } from '@ingot/shared/codec/ipmi/session-privilege.ts';
import { endpointOf } from './address.ts';
import { BmcError, type BmcFailure } from './bmc-error.ts';
import { probeCapabilities } from './capabilities-probe.ts';
import type { Deadline } from './deadline.ts';
import { type HandshakeContext, type Opening, openSession } from './handshake.ts';
import type { Session } from './session.ts';
import type { OfferedSuites } from './suite-floor.ts';

export interface LoginContext extends HandshakeContext {
  /** Name of the command that needs the session, for the error text. */
  readonly command: string;
  /** The suite that worked last time; it is tried first. */
  readonly preferred: CipherSuiteId | undefined;
  /** Which suites are offered; not all of `address.cipherSuites`. */
  readonly offered: OfferedSuites;
  /** Wait before asking a busy BMC again. */
  readonly busyPauseMs: number;
}

const PRIVILEGE_TRIES = 4;

/** Throws BmcError when the deadline has passed or the BMC's refusal is final. */
export async function login(
  context: LoginContext,
  deadline: Deadline,
): Promise<{ session: Session; suite: CipherSuiteId }> {
  const { offered, preferred } = context;
  const suites = [...offered.suites].sort((a, b) => Number(b === preferred) - Number(a === preferred));
  let last: Failure = { failure: 'no answer', detail: 'no time left to ask' };
  let hasSpoken = false;
  while (!deadline.hasPassed) {
    const refused: string[] = [];
    const ignored: string[] = [];
    for (const suite of suites) {
      const opening = await openSession(context, suite, deadline);
      if (opening.kind === 'open') {
        const session = await raisePrivilege(context, opening.session, deadline);
        if (session !== undefined) return { session, suite };
        last = { failure: 'no answer', detail: 'the session opened, then the BMC stopped answering' };
        break;
      }
      if (opening.kind === 'failed') throw errorOf(context, opening, deadline);
      if (opening.kind === 'suite refused') {
        refused.push(`suite ${suite}: ${opening.detail}`);
        continue;
      }
      if (opening.kind === 'again') {
        last = opening;
        hasSpoken = true;
        await deadline.pause(context.busyPauseMs);
        break;
      }
      // The deadline passed during this wait. The BMC's last answer explains more than the missing one.
      if (deadline.hasPassed && hasSpoken) break;
      hasSpoken = false;
      last = await explainSilence(context, opening, deadline);
      if (last.failure !== 'cipher suite refused') break;
      ignored.push(`suite ${suite}: ${last.detail}`);
    }
    if (refused.length + ignored.length === suites.length) {
      const detail = [...refused, ...ignored].join('; ');
      last = {
        failure: offered.floor === undefined ? 'cipher suite refused' : 'weaker cipher suite',
        detail,
      };
      // A suite that got no answer is tried again, since datagrams may be lost. A refused suite stays refused.
      if (ignored.length === 0) break;
    }
  }
  throw errorOf(context, last, deadline);
}

interface Failure {
  readonly failure: BmcFailure;
  readonly detail: string;
}

/** Why a step got no answer: the BMC is unreachable, has no IPMI 2.0, or ignores this cipher suite. */
async function explainSilence(
  context: LoginContext,
  silent: Extract<Opening, { kind: 'silent' }>,
  deadline: Deadline,
): Promise<Failure> {
  const { peer, address, retransmission } = context;
  const probe = await probeCapabilities(peer, PRIVILEGE_LEVELS[address.privilege], retransmission, deadline);
  if (probe.kind === 'silence') {
    return probe.closed || silent.closed
      ? { failure: 'port closed', detail: 'ICMP port unreachable' }
      : { failure: 'no answer', detail: `${silent.step}: nothing came back` };
  }
  if (!probe.value.rmcpPlus) {
    const old = { failure: 'no RMCP+', detail: 'the BMC says that it has no IPMI 2.0 sessions' } as const;
    throw errorOf(context, old, deadline);
  }
  const detail = `${silent.step} not answered, although the BMC answers outside a session`;
  return { failure: silent.step === 'Open Session' ? 'cipher suite refused' : 'no answer', detail };
}

/** Sets the session's privilege level. undefined: the BMC did not answer. */
async function raisePrivilege(
  context: LoginContext,
  session: Session,
  deadline: Deadline,
): Promise<Session | undefined> {
  const { peer, address, retransmission } = context;
  let usable = false;
  try {
    const level = PRIVILEGE_LEVELS[address.privilege];
    const question = session.question(setSessionPrivilege, { level }, PRIVILEGE_TRIES);
    const answer = await retransmission.ask(peer, question, deadline);
    if (answer.kind === 'silence') return undefined;
    const { completionCode } = answer.value;
    if (completionCode !== COMPLETED) {
      const words = completionCodeText(completionCode, setSessionPrivilege.completionCodes);
      const detail = `${setSessionPrivilege.name} ${address.privilege}: completion code ${words}`;
      throw errorOf(context, { failure: 'privilege refused', detail }, deadline, completionCode);
    }
    usable = true;
    return session;
  } finally {
    if (!usable) {
      peer.send(session.question(closeSession, { sessionId: session.ids.bmc }).datagram());
      context.onAbandoned(session.ids.bmc);
    }
  }
}

function errorOf(
  { address, command }: LoginContext,
  { failure, detail }: Failure,
  { tries }: Deadline,
  completionCode?: number,
): BmcError {
  const code = completionCode === undefined ? {} : { completionCode };
  return new BmcError({ failure, detail, endpoint: endpointOf(address), command, tries, ...code });
}
