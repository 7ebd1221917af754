/**
 * Starts a lab with a running machine, prints the lab's directory, and never stops the lab. A test kills this program
 * and checks that nothing is left behind.
 */
import { startLab } from './lab.ts';

const lab = await startLab([{ name: 'server', firmware: 'bios', mac: '52:54:00:83:01:0f', diskGb: 1 }]);
const { bmc } = lab.machine('server');
const session = [
  '-I',
  'lanplus',
  '-C',
  '3',
  '-H',
  bmc.address,
  '-p',
  String(bmc.port),
  '-U',
  bmc.username,
  '-E',
];
const { code, output } = await lab.run('ipmitool', [...session, 'chassis', 'power', 'on'], {
  env: { IPMITOOL_PASSWORD: bmc.password },
});
if (code !== 0) throw new Error(`the machine was not powered on: ${output}`);
process.stdout.write(`${lab.dir}\n`);
setInterval(() => undefined, 60_000);
