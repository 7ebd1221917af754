/**
 * Every setting of the conductor: the rows of all rooms. Defaults, the file, INGOT_* variables, flags, `--print-config`
 * and docs/configuration.md follow from them.
 */
import { AGENT_SETTINGS } from '../agent-link/settings.ts';
import { CLOUD_SETTINGS } from '../api/cloud/settings.ts';
import { API_SETTINGS } from '../api/ironic/settings.ts';
import { AUTH_SETTINGS } from '../auth/settings.ts';
import type { Setting, SettingValues } from '../domain/setting.ts';
import { DRIVER_SETTINGS } from '../drivers/settings.ts';
import { ENGINE_SETTINGS } from '../engine/settings.ts';
import { IMAGE_SERVICE_SETTINGS } from '../image-service/settings.ts';
import { IMAGE_SETTINGS } from '../images/settings.ts';
import { NETBOOT_SETTINGS } from '../netboot/settings.ts';
import { OUTBOUND_SETTINGS } from '../outbound/settings.ts';
import { SCHEDULER_SETTINGS } from '../scheduler/setting-rows.ts';
import { SERVER_SETTINGS } from '../servers/settings.ts';
import { STORE_SETTINGS } from '../store/settings.ts';
import { CONDUCTOR_SETTINGS } from './conductor-settings.ts';

export const SETTINGS = {
  ...CONDUCTOR_SETTINGS,
  ...STORE_SETTINGS,
  ...API_SETTINGS,
  ...AGENT_SETTINGS,
  ...AUTH_SETTINGS,
  ...NETBOOT_SETTINGS,
  ...ENGINE_SETTINGS,
  ...IMAGE_SETTINGS,
  ...OUTBOUND_SETTINGS,
  ...CLOUD_SETTINGS,
  ...SERVER_SETTINGS,
  ...IMAGE_SERVICE_SETTINGS,
  ...SCHEDULER_SETTINGS,
  ...DRIVER_SETTINGS,
};

export type SettingKey = keyof typeof SETTINGS;

/** Key and row of every setting. */
export const SETTING_ROWS = Object.entries(SETTINGS) as readonly (readonly [SettingKey, Setting])[];

export type Values = SettingValues<typeof SETTINGS>;

export const environmentName = (name: string): string => `INGOT_${name.replaceAll('.', '_').toUpperCase()}`;
