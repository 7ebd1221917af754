/**
 * Gets a working session out of a BMC: tries the cipher suites in order, waits while the BMC is busy, raises the
 * privilege level, and closes what earlier sessions left behind.
 */
import type { CipherSuiteId } from '@ingot/shared/codec/ipmi/cipher-suite.ts';
import { closeSession } from '@ingot/shared/codec/ipmi/close-session.ts';
import { COMPLETED, completionCodeText } from '@ingot/shared/codec/ipmi/completion-code.ts';
import { PRIVILEGE_LEVELS } from '@ingot/shared/codec/ipmi/privilege-level.ts';
import { setSessionPrivilege } from '@ingot/shared/codec/ipmi/session-privilege.ts';
import { endpointOf } from './address.ts';
import { BmcError, type BmcFailure } from './bmc-error.ts';
import type { Budget } from './budget.ts';
import { probeCapabilities } from './capabilities-probe.ts';
import { type HandshakeContext, type Opening, openSession } from './handshake.ts';
import type { Session } from './session.ts';

export interface LoginContext extends HandshakeContext {
  /** Name of the command that needs the session, for the error text. */
  readonly command: string;
  /** The suite that worked last time goes first. */
  readonly preferred: CipherSuiteId | undefined;
  /** Wait before asking a busy BMC again. */
  readonly busyPauseMs: number;
}

const PRIVILEGE_TRIES = 4;

/** Throws BmcError once the budget is spent or the BMC's refusal is final. */
export async function login(
  context: LoginContext,
  budget: Budget,
): Promise<{ session: Session; suite: CipherSuiteId }> {
  const { address, preferred } = context;
  const suites = [...address.cipherSuites].sort((a, b) => Number(b === preferred) - Number(a === preferred));
  let last: Failure = { failure: 'no answer', detail: 'no time left to ask' };
  let hasSpoken = false;
  while (!budget.isSpent) {
    const refused: string[] = [];
    const ignored: string[] = [];
    for (const suite of suites) {
      const opening = await openSession(context, suite, budget);
      if (opening.kind === 'open') {
        const session = await raisePrivilege(context, opening.session, budget);
        if (session !== undefined) return { session, suite };
        last = { failure: 'no answer', detail: 'the session opened, then the BMC went silent' };
        break;
      }
      if (opening.kind === 'failed') throw errorOf(context, opening, budget);
      if (opening.kind === 'suite refused') {
        refused.push(`suite ${suite}: ${opening.detail}`);
        continue;
      }
      if (opening.kind === 'again') {
        last = opening;
        hasSpoken = true;
        await budget.pause(context.busyPauseMs);
        break;
      }
      // Cut off by the deadline: what the BMC said just before tells more than this silence.
      if (budget.isSpent && hasSpoken) break;
      hasSpoken = false;
      last = await explainSilence(context, opening, budget);
      if (last.failure !== 'cipher suite refused') break;
      ignored.push(`suite ${suite}: ${last.detail}`);
    }
    if (refused.length + ignored.length === suites.length) {
      last = { failure: 'cipher suite refused', detail: [...refused, ...ignored].join('; ') };
      // A suite not answered may have been bad luck; one refused in words stays refused.
      if (ignored.length === 0) break;
    }
  }
  throw errorOf(context, last, budget);
}

interface Failure {
  readonly failure: BmcFailure;
  readonly detail: string;
}

/** No answer to a step: is the BMC dead, too old, or does it ignore this cipher suite? */
async function explainSilence(
  context: LoginContext,
  silent: Extract<Opening, { kind: 'silent' }>,
  budget: Budget,
): Promise<Failure> {
  const { peer, address, patience } = context;
  const probe = await probeCapabilities(peer, PRIVILEGE_LEVELS[address.privilege], patience, budget);
  if (probe.kind === 'silence') {
    return probe.closed || silent.closed
      ? { failure: 'port closed', detail: 'ICMP port unreachable' }
      : { failure: 'no answer', detail: `${silent.step}: nothing came back` };
  }
  if (!probe.value.rmcpPlus) {
    const old = { failure: 'no RMCP+', detail: 'the BMC says that it has no IPMI 2.0 sessions' } as const;
    throw errorOf(context, old, budget);
  }
  const detail = `${silent.step} not answered, although the BMC answers outside a session`;
  return { failure: silent.step === 'Open Session' ? 'cipher suite refused' : 'no answer', detail };
}

/** The session at the wanted level; undefined if it went silent. */
async function raisePrivilege(
  context: LoginContext,
  session: Session,
  budget: Budget,
): Promise<Session | undefined> {
  const { peer, address, patience } = context;
  let usable = false;
  try {
    const level = PRIVILEGE_LEVELS[address.privilege];
    const question = session.question(setSessionPrivilege, { level }, PRIVILEGE_TRIES);
    const answer = await patience.ask(peer, question, budget);
    if (answer.kind === 'silence') return undefined;
    const { completionCode } = answer.value;
    if (completionCode !== COMPLETED) {
      const words = completionCodeText(completionCode, setSessionPrivilege.completionCodes);
      const detail = `${setSessionPrivilege.name} ${address.privilege}: completion code ${words}`;
      throw errorOf(context, { failure: 'privilege refused', detail }, budget, completionCode);
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
  { tries }: Budget,
  completionCode?: number,
): BmcError {
  const code = completionCode === undefined ? {} : { completionCode };
  return new BmcError({ failure, detail, endpoint: endpointOf(address), command, tries, ...code });
}
