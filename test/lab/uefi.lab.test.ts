import { describeFirstMachine } from './first-machine.ts';

describeFirstMachine('uefi');
