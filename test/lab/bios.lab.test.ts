import { describeFirstMachine } from './first-machine.ts';

describeFirstMachine('bios');
