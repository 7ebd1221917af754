/**
 * New SSH key pairs: ed25519, the private key as OpenSSH's `openssh-key-v1` (its PROTOCOL.key).
 *
 *   magic 0 | string cipher | string kdf | string kdf options | uint32 1 | string public blob | string private
 *   private | uint32 check | uint32 check | string type | string public | string seed+public | string comment | 1 2 3..
 */
import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

export interface SshKeyPair {
  readonly publicKey: string;
  /** PEM. */
  readonly privateKey: string;
  readonly blob: Buffer;
}

const TYPE = 'ssh-ed25519';
const MAGIC = Buffer.from('openssh-key-v1\0', 'latin1');
/** Private parts are padded to this length, the block size for unencrypted keys. */
const BLOCK_BYTES = 8;
const PEM_LINE = 70;

const generate = promisify(generateKeyPair);

export async function generateSshKeyPair(comment: string): Promise<SshKeyPair> {
  const { privateKey } = await generate('ed25519');
  const { d, x } = privateKey.export({ format: 'jwk' });
  const seed = Buffer.from(d!, 'base64url');
  const point = Buffer.from(x!, 'base64url');
  const blob = Buffer.concat([string(TYPE), string(point)]);
  const check = randomBytes(4);
  const secret = padded(
    Buffer.concat([check, check, blob, string(Buffer.concat([seed, point])), string(comment)]),
  );
  const file = Buffer.concat([
    MAGIC,
    string('none'),
    string('none'),
    string(''),
    uint32(1),
    string(blob),
    string(secret),
  ]);
  return { publicKey: `${TYPE} ${blob.toString('base64')} ${comment}`, privateKey: pem(file), blob };
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function string(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function padded(bytes: Buffer): Buffer {
  const missing = (BLOCK_BYTES - (bytes.length % BLOCK_BYTES)) % BLOCK_BYTES;
  return Buffer.concat([bytes, Buffer.from(Array.from({ length: missing }, (_, index) => index + 1))]);
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(new RegExp(`.{1,${PEM_LINE}}`, 'g')) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join(
    '\n',
  );
}
