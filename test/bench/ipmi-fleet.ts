/**
 * Many fake BMCs in a separate process, so that their CPU time is not counted as the client's: ipmi-fleet.ts COUNT.
 */
import { startFakeBmc } from '../fakes/bmc/fake-bmc.ts';
import { BMC_USER } from '../fakes/bmc/test-ipmi.ts';

const count = Number(process.argv[2]);
const ports: number[] = [];
for (let n = 0; n < count; n++) ports.push((await startFakeBmc(BMC_USER)).port);
process.send?.(ports);
