import { describe, expect, it } from 'vitest';
import { parseRequirement } from './extra-specs.ts';

/** Requirement, values that match, values that do not. */
const TABLE: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['= 2', ['2', '2.0', '3', '1e1'], ['1', '1.99', '', 'two', '0x10']],
  ['== 2', ['2', '2.0'], ['1', '3', 'x']],
  ['!= 2', ['1', '3'], ['2', '2.0', 'x']],
  ['>= 2.5', ['2.5', '3'], ['2', 'x']],
  ['<= 2.5', ['2.5', '-3'], ['2.6', 'x', '']],
  ['== two', [], ['two', '2']],
  ['s== 2', ['2'], ['2.0', '']],
  ['s!= 2', ['2.0', ''], ['2']],
  ['s< b', ['a', 'B'], ['b', 'c']],
  ['s<= b', ['a', 'b'], ['c']],
  ['s> b', ['c'], ['a', 'b']],
  ['s>= b', ['b', 'c'], ['a']],
  ['<in> gpu', ['gpu', 'a,gpu,b', 'gpus'], ['cpu', '']],
  ['<in> a b', ['a'], ['b']],
  ['<all-in> aes mmx', ['mmx aes', "['aes', 'mmx']"], ['aes', 'mmx', '']],
  ['<or> uefi <or> bios', ['uefi', 'bios'], ['<or>', 'uefi bios', '']],
  ['<or> uefi', ['uefi'], ['bios']],
  ['uefi', ['uefi'], ['UEFI', 'bios', ' uefi']],
  ['two words', ['two words'], ['two', 'words']],
  ['', [''], ['x']],
  ['=2', ['=2'], ['2', '3']],
  ['constructor', ['constructor'], ['x']],
  ['>=', [], ['', '>=', '1']],
  ['s==', [], ['', 's==']],
  ['<in>', [], ['', '<in>']],
  ['<all-in>', [], ['', 'a']],
  ['<or>', [], ['', '<or>']],
];

describe('parseRequirement', () => {
  it.each(TABLE)('%j', (text, matching, others) => {
    const matches = parseRequirement(text);
    expect(matching.filter((value) => !matches(value))).toEqual([]);
    expect(others.filter(matches)).toEqual([]);
  });
});
