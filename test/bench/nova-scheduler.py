"""
Nova's own filters and weighers over given host states. Reads JSON from standard input, writes JSON:

  in   {hosts: [...], extra_specs, image_properties, availability_zone, counts: [1, 20], runs, multipliers}
  out  {count: {ms: [...], chosen: [nodename, ...]}}

As nova.scheduler.manager does it: filter, weigh, take the first, for each instance. Placement's part is not in it.
"""
import json
import sys
import time
import types

from nova import objects
import nova.conf
from nova.scheduler import filters, host_manager, weights
from nova.scheduler.filters import (affinity_filter, availability_zone_filter, compute_capabilities_filter,
                                    compute_filter, image_props_filter)
from nova.scheduler.weights import affinity, compute, cpu, disk, ram
from oslo_utils import timeutils

CONF = nova.conf.CONF
FILTERS = (availability_zone_filter.AvailabilityZoneFilter, compute_filter.ComputeFilter,
           compute_capabilities_filter.ComputeCapabilitiesFilter, image_props_filter.ImagePropertiesFilter,
           affinity_filter.ServerGroupAntiAffinityFilter, affinity_filter.ServerGroupAffinityFilter)
WEIGHERS = (ram.RAMWeigher, disk.DiskWeigher, cpu.CPUWeigher, affinity.ServerGroupSoftAffinityWeigher,
            affinity.ServerGroupSoftAntiAffinityWeigher, compute.BuildFailureWeigher)


def host_state(given, service):
    host = host_manager.HostState(given['host'], given['nodename'], None)
    host.free_ram_mb = host.total_usable_ram_mb = given['ramMb']
    host.free_disk_mb = given['diskMb']
    host.total_usable_disk_gb = given['diskMb'] // 1024
    host.vcpus_total = given['vcpus']
    host.failed_builds = given['failedBuilds']
    host.stats = given['stats']
    host.hypervisor_type, host.hypervisor_version = 'ironic', 1
    host.supported_instances = [tuple(one) for one in given['supported']]
    host.service = service
    host.aggregates = [types.SimpleNamespace(metadata={'availability_zone': given['zone']})]
    host.cpu_allocation_ratio = host.ram_allocation_ratio = host.disk_allocation_ratio = 1.0
    return host


def request_spec(given):
    flavor = objects.Flavor(vcpus=1, memory_mb=1024, root_gb=10, ephemeral_gb=0, swap=0,
                            extra_specs=given['extra_specs'])
    image = objects.ImageMeta(id='image', properties=objects.ImageMetaProps(**given['image_properties']))
    return objects.RequestSpec(flavor=flavor, image=image, availability_zone=given['availability_zone'],
                               instance_group=None, instance_uuid='0', scheduler_hints={})


def select(hosts, spec, count, handlers, all_filters, all_weighers):
    chosen = []
    for index in range(count):
        hosts = handlers[0].get_filtered_objects(all_filters, hosts, spec, index)
        weighed = handlers[1].get_weighed_objects(all_weighers, hosts, spec)
        if not weighed:
            break
        chosen.append(weighed[0].obj)
        hosts = [one.obj for one in weighed[1:]]
    return chosen


def main():
    CONF([], project='nova', default_config_files=[])
    objects.register_all()
    given = json.load(sys.stdin)
    for name, multiplier in given['multipliers'].items():
        CONF.set_override(name, multiplier, group='filter_scheduler')
    # never too old for the length of this run
    CONF.set_override('service_down_time', 86400)
    service = host_manager.ReadOnlyDict(
        {'disabled': False, 'forced_down': False, 'host': 'compute-1', 'last_seen_up': timeutils.utcnow()})
    hosts = [host_state(one, service) for one in given['hosts']]
    spec = request_spec(given)
    handlers = (filters.HostFilterHandler(), weights.HostWeightHandler())
    all_filters, all_weighers = [one() for one in FILTERS], [one() for one in WEIGHERS]
    result = {}
    for count in given['counts']:
        times = []
        for _ in range(given['runs']):
            began = time.perf_counter()
            chosen = select(hosts, spec, count, handlers, all_filters, all_weighers)
            times.append((time.perf_counter() - began) * 1000)
        result[count] = {'ms': times, 'chosen': [one.nodename for one in chosen]}
    json.dump(result, sys.stdout)


main()
