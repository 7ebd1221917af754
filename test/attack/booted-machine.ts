/**
 * A machine of an attack test that boots as the conductor says: DHCP, boot script, then the requests of its agent, with
 * boot proofs if the script has a boot secret.
 */
import {
  digestOf,
  encodeProof,
  NONCE_HEADER,
  PROOF_HEADER,
  type ProofPurpose,
  proofMac,
} from '@ingot/shared/agent/boot-proof.ts';
import { BOOT_PARAMS } from '@ingot/shared/agent/kernel-params.ts';
import { newPrivateKey, selfSigned } from '@ingot/shared/tls/self-signed.ts';
import type { AttackedHost } from './attacked-conductor.ts';
import { createHttpCaller, type HttpAnswer, type HttpCall } from './http-caller.ts';

export interface BootedMachine {
  readonly address: string;
  /** The kernel command line. */
  readonly words: ReadonlyMap<string, string>;
  /** Without a secret in the script: HTTP and no proofs. */
  readonly isProven: boolean;
  readonly certificate: string;
  /** The headers and the body of the last request that was accepted. */
  lastRequest(): SentRequest;
  lookup(options?: { readonly certificate?: string }): Promise<HttpAnswer>;
  heartbeat(token: string): Promise<HttpAnswer>;
  /** Sends a request, from this machine or from another host, as it was sent before. */
  replay(request: SentRequest, from?: AttackedHost): Promise<HttpAnswer>;
}

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const scriptPath = (mac: string): string => `/boot/script.ipxe?mac=${mac}`;

/** Gets an address and the boot script of its own MAC address. Throws if the script boots no ramdisk. */
export async function bootMachine(host: AttackedHost): Promise<BootedMachine> {
  const address = await host.lease();
  const { text: script } = await host.call('GET', scriptPath(host.mac));
  const line = /^kernel \S+ (.*?) \|\|/m.exec(script)?.[1];
  if (line === undefined) throw new Error(`the boot script boots no ramdisk:\n${script}`);
  const words = new Map(line.split(' ').map((word) => word.split(/=(.*)/s) as [string, string]));
  const secret = words.get(BOOT_PARAMS.bootSecret);
  const node = words.get(BOOT_PARAMS.nodeUuid) ?? '';
  const { certificate } = selfSigned('agent', newPrivateKey());
  const caller = secret === undefined ? plainCaller : tlsCaller(words.get(BOOT_PARAMS.apiUrl) ?? '');
  const call = caller(host);
  let nonce = '';
  let last: SentRequest | undefined;
  let token = '';
  let nodeUuid = node;

  async function send(purpose: ProofPurpose, method: string, path: string, content?: object) {
    const body = content === undefined ? undefined : JSON.stringify(content);
    const request = (): SentRequest => {
      const bodyDigest = digestOf(body ?? '');
      const mac = proofMac(secret ?? '', { purpose, nonce, nodeUuid, bodyDigest });
      const proof: Record<string, string> =
        secret === undefined ? {} : { [PROOF_HEADER]: encodeProof({ nonce, mac }) };
      return { method, path, headers: proof, ...(body === undefined ? {} : { body }) };
    };
    let [sent, answer] = await sendWith(call, request());
    nonce = String(answer.headers[NONCE_HEADER] ?? '');
    if (answer.status === 401 && nonce !== '') {
      [sent, answer] = await sendWith(call, request());
      nonce = String(answer.headers[NONCE_HEADER] ?? '');
    }
    if (answer.status < 300) last = sent;
    return answer;
  }

  return {
    address,
    words,
    isProven: secret !== undefined,
    certificate,
    lastRequest() {
      if (last === undefined) throw new Error('no request was accepted');
      return last;
    },
    async lookup(options = {}) {
      const answer =
        secret === undefined
          ? await send('lookup', 'GET', `/v1/lookup?addresses=${host.mac}`)
          : await send('lookup', 'POST', '/v1/lookup', {
              node_uuid: node,
              agent_verify_ca: options.certificate ?? certificate,
            });
      token = String(answer.body?.config?.agent_token ?? token);
      nodeUuid = String(answer.body?.node?.uuid ?? nodeUuid);
      return answer;
    },
    heartbeat: (agentToken) =>
      send('heartbeat', 'POST', `/v1/heartbeat/${nodeUuid}`, {
        callback_url: `${secret === undefined ? 'http' : 'https'}://${address}:9999`,
        agent_token: agentToken,
        agent_version: 'attacked/1',
      }),
    replay: async (request, from = host) => (await sendWith(caller(from), request))[1],
  };
}

async function sendWith(call: HttpCall, request: SentRequest): Promise<[SentRequest, HttpAnswer]> {
  const { method, path, body, headers } = request;
  return [request, await call(method, path, { headers, ...(body === undefined ? {} : { body }) })];
}

const plainCaller = (host: AttackedHost): HttpCall => host.call;

const tlsCaller = (url: string) => {
  const { hostname, port } = new URL(url);
  // Who the conductor is has no part in these tests; the agent's own tests check the pin.
  return (host: AttackedHost): HttpCall =>
    createHttpCaller(url, () => host.socketTo(Number(port), hostname), {
      connect: { rejectUnauthorized: false },
    });
};
