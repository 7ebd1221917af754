import { describe, expect, it } from 'vitest';
import { completionCodeText, isTransient } from './completion-code.ts';
import { rmcpStatusText } from './rmcp-status.ts';
import { setSessionPrivilege } from './session-privilege.ts';

describe('texts of codes', () => {
  it.each([
    [0xc0, '0xc0: node busy'],
    [0xd4, '0xd4: insufficient privilege level, or refused by the firmware firewall'],
    [0x81, '0x81: command-specific code'],
    [0x05, '0x05: device-specific (OEM) code'],
    [0xe0, '0xe0: reserved code'],
  ])('completion code %i', (code, text) => {
    expect(completionCodeText(code)).toBe(text);
  });

  it("prefers a command's own meaning", () => {
    expect(completionCodeText(0x81, setSessionPrivilege.completionCodes)).toMatch(/exceeds the channel/);
  });

  it('has a text for every byte', () => {
    for (let code = 0; code < 256; code++) {
      expect(completionCodeText(code)).toMatch(/^0x[0-9a-f]{2}: ./);
      expect(rmcpStatusText(code)).toMatch(/^status 0x[0-9a-f]{2}: ./);
    }
  });

  it.each([
    [0x01, 'insufficient resources to create a session'],
    [0x04, 'invalid authentication algorithm'],
    [0x0d, 'unauthorized name'],
    [0x0f, 'invalid integrity check value'],
    [0x11, 'no cipher suite match with proposed security algorithms'],
  ])('RMCP+ status %i', (status, text) => {
    expect(rmcpStatusText(status)).toContain(text);
  });

  it('knows which codes are transient', () => {
    expect([0xc0, 0xc3, 0xc4, 0xd2].every(isTransient)).toBe(true);
    expect([0xc1, 0xcc, 0xd4, 0x80].some(isTransient)).toBe(false);
  });
});
