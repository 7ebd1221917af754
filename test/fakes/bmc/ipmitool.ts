/** Runs the real ipmitool against a BMC on loopback; the password is passed in the environment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface IpmitoolResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function ipmitool(
  target: { port: number; username: string; password: string; cipherSuite?: number; kgHex?: string },
  args: readonly string[],
): Promise<IpmitoolResult> {
  const suite = target.cipherSuite === undefined ? [] : ['-C', String(target.cipherSuite)];
  const kg = target.kgHex === undefined ? [] : ['-y', target.kgHex];
  const login = ['-I', 'lanplus', '-H', '127.0.0.1', '-p', String(target.port), '-U', target.username, '-E'];
  const child = spawn('ipmitool', [...login, ...suite, ...kg, ...args], {
    env: { ...process.env, IPMI_PASSWORD: target.password },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
