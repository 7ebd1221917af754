/**
 * Actions of Nova that machines do not support, because they need a hypervisor or something similar. Each error says
 * what to do instead.
 */
import { type ErrorCode, IngotError } from '../../../domain/errors.ts';
import { anything } from '../../kit/readers.ts';
import { type ServerAction, serverAction } from './server-action.ts';

const NO_RESIZE = 'A server is a whole machine and keeps its size: create another one with the other flavor.';
const NO_MOVE = 'A server is a machine and stays where it is: rebuild it, or create another one.';
const NO_SLEEP = 'A machine can not be put to sleep: stop it instead.';
const NO_SNAPSHOT = 'No image can be made of a running machine: images come from the image service.';
const NO_GROUPS = 'Security groups are not enforced on machines: what reaches them, their switches decide.';
const NO_ADDRESSES = 'Addresses belong to ports: attach an interface with the address instead.';

const WHY: Readonly<Record<string, string>> = {
  resize: NO_RESIZE,
  confirmResize: 'Instance has not been resized.',
  revertResize: 'Instance has not been resized.',
  migrate: NO_MOVE,
  'os-migrateLive': NO_MOVE,
  evacuate: NO_MOVE,
  shelve: NO_MOVE,
  shelveOffload: NO_MOVE,
  unshelve: NO_MOVE,
  pause: NO_SLEEP,
  unpause: NO_SLEEP,
  suspend: NO_SLEEP,
  resume: NO_SLEEP,
  createImage: NO_SNAPSHOT,
  createBackup: NO_SNAPSHOT,
  addSecurityGroup: NO_GROUPS,
  removeSecurityGroup: NO_GROUPS,
  addFixedIp: NO_ADDRESSES,
  removeFixedIp: NO_ADDRESSES,
  addFloatingIp: NO_ADDRESSES,
  removeFloatingIp: NO_ADDRESSES,
  resetNetwork: 'There is no agent in the server that could do it.',
  injectNetworkInfo: 'There is no agent in the server that could do it.',
};

const refusing = (name: string, code: ErrorCode, message: string): ServerAction =>
  serverAction(name, { value: anything, run: () => Promise.reject(new IngotError(code, message)) });

export const UNSUPPORTED_ACTIONS: readonly ServerAction[] = [
  ...Object.entries(WHY).map(([name, why]) => refusing(name, 'unsupported', why)),
  serverAction('restore', {
    value: anything,
    run: ({ server: { uuid, vmState } }) =>
      Promise.reject(
        new IngotError(
          'conflict',
          `Cannot 'restore' instance ${uuid} while it is in vm_state ${vmState}. Deleted servers are not kept: create another one.`,
        ),
      ),
  }),
  // Nova's 409, which clients know for this one
  refusing(
    'changePassword',
    'conflict',
    'Set admin password is not supported: nothing in a running machine could do it. Rebuild or rescue it with an adminPass.',
  ),
];
