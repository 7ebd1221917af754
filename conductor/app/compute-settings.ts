/**
 * The settings of the compute façade from the configuration.
 */
import { readFileSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { isJsonObject, type JsonObject } from '../domain/json.ts';
import type { SchedulerSettings } from '../scheduler/settings.ts';
import type { ComputeSettings } from '../servers/settings.ts';

/** Throws when the file of vendor data can not be used. */
export function computeSettingsOf(config: Config): ComputeSettings {
  return {
    host: config.host,
    publicEndpoint: config.computePublicEndpoint,
    scheduler: schedulerSettingsOf(config),
    defaultAvailabilityZone: config.defaultAvailabilityZone,
    domainCapability: config.failureDomainCapability,
    vendorData: config.vendorDataFile === null ? null : readVendorData(config.vendorDataFile),
    serviceReportMs: config.serviceReportMs,
    serviceDownMs: config.serviceDownMs,
    maxLimit: config.maxLimit,
  };
}

export function schedulerSettingsOf(config: Config): SchedulerSettings {
  const { isolatedHosts: hosts, isolatedImages: images, restrictIsolatedHosts: isRestricted } = config;
  return {
    enabledFilters: config.enabledFilters,
    isolation: { hosts, images, isRestricted },
    multipliers: {
      RAMWeigher: config.ramMultiplier,
      DiskWeigher: config.diskMultiplier,
      CPUWeigher: config.cpuMultiplier,
      ServerGroupSoftAffinityWeigher: config.softAffinityMultiplier,
      ServerGroupSoftAntiAffinityWeigher: config.softAntiAffinityMultiplier,
      BuildFailureWeigher: config.buildFailureMultiplier,
      ImageCachedWeigher: config.imageCachedMultiplier,
      LeastRecentlyUsedWeigher: config.leastRecentlyUsedMultiplier,
    },
    hostSubsetSize: config.hostSubsetSize,
    shuffleBestSameWeighedHosts: config.shuffleBestSameWeighedHosts,
    maxAttempts: config.maxAttempts,
  };
}

function readVendorData(path: string): JsonObject {
  const data: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (isJsonObject(data)) return data;
  throw new Error(`compute.vendor_data_file: ${path} must hold a JSON object`);
}
