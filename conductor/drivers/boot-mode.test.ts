import { expect, it } from 'vitest';
import type { Node } from '../domain/node.ts';
import { knownBootMode, targetBootMode } from './boot-mode.ts';

const node = (more: object) =>
  ({ instanceInfo: {}, properties: {}, bootMode: null, ...more }) as unknown as Node;

it('is that of the instance, else of the node, else the one of its last boot, else uefi', () => {
  const asked = (mode: string) => ({ capabilities: `boot_mode:${mode}` });
  expect(targetBootMode(node({ instanceInfo: asked('bios'), properties: asked('uefi') }))).toBe('bios');
  expect(targetBootMode(node({ properties: asked('bios'), bootMode: 'uefi' }))).toBe('bios');
  expect(targetBootMode(node({ properties: asked('coreboot'), bootMode: 'bios' }))).toBe('bios');
  expect(targetBootMode(node({}))).toBe('uefi');
  expect(knownBootMode(node({}))).toBeNull();
});
