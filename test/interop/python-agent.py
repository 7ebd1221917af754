"""
Runs the real ironic-python-agent of a checkout, for a recording: its inspection, lookup, heartbeats and command API.
Only the hardware is made up. No program is started, so nothing happens to the machine that this runs on.

    python3 python-agent.py CHECKOUT API_URL INSPECTION_URL MAC LISTEN_PORT ADVERTISED_PORT

INSPECTION_URL is empty for an agent that does not inspect.
"""
import configparser
import os
import subprocess
import sys
import tempfile
import time
import types

checkout, api_url, inspection_url, mac, listen_port, advertised_port = sys.argv[1:]


def install(path):
    """Python finds version and plug-ins of the checkout as if it were installed."""
    version = subprocess.check_output(["git", "-C", path, "describe", "--tags", "--match", "[0-9]*.*.*"], text=True).strip()
    entries = configparser.ConfigParser()
    entries.read(os.path.join(path, "setup.cfg"))
    files = {
        "METADATA": f"Metadata-Version: 2.1\nName: ironic-python-agent\nVersion: {version}\n",
        "entry_points.txt": "".join(
            f"[{group}]\n{entries['entry_points'][group].strip()}\n" for group in entries["entry_points"]
        ),
    }
    place = tempfile.mkdtemp(prefix="python-agent-")
    os.mkdir(os.path.join(place, "ironic_python_agent.dist-info"))
    for name, text in files.items():
        with open(os.path.join(place, "ironic_python_agent.dist-info", name), "w") as file:
            file.write(text)
    sys.path[:0] = [path, place]


install(checkout)

from oslo_concurrency import processutils  # noqa: E402
from oslo_utils import imageutils  # noqa: E402

# Only image checks use it, and it is newer than Debian's oslo.utils.
if not hasattr(imageutils, "format_inspector"):
    imageutils.format_inspector = types.ModuleType("format_inspector")


def no_program(*command, **_):
    raise processutils.ProcessExecutionError(cmd=" ".join(map(str, command)), exit_code=127)


processutils.execute = no_program

from ironic_python_agent import agent, hardware, netutils  # noqa: E402
from oslo_config import cfg  # noqa: E402
from oslo_log import log as oslo_log  # noqa: E402

netutils.get_hostname = lambda: "recorded"


class MadeUpHardware(hardware.GenericHardwareManager):
    """The steps and answers of the generic manager, on a disk that is not there."""

    def initialize(self):
        pass

    def list_hardware_info(self):
        return hardware.HardwareManager.list_hardware_info(self)

    def list_network_interfaces(self):
        card = hardware.NetworkInterface("eth0", mac, ipv4_address="127.0.0.1", vendor="0x1af4", product="0x1000")
        card.speed_mbps = 1000
        return [card]

    def get_cpus(self):
        cpu = hardware.CPU("Made-up CPU", "2400.0", 4, "x86_64")
        cpu.flags, cpu.socket_count = ["fpu", "vmx"], 1
        return cpu

    def list_block_devices(self, include_partitions=False, all_devices=False):
        return [
            hardware.BlockDevice(
                "/dev/sda", "MADE UP", 20 * 1024**3, False, wwn="0x5000c500a1b2c3d4", serial="MADEUP1"
            )
        ]

    def list_block_devices_check_skip_list(self, node, include_partitions=False, **_):
        return self.list_block_devices()

    def get_os_install_device(self, permit_refresh=False):
        raise hardware.errors.DeviceNotFound("no image is written in a recording")

    def get_memory(self):
        return hardware.Memory(4 * 1024**3, physical_mb=4096)

    def get_bmc_address(self):
        return "192.0.2.7"

    def get_bmc_v6address(self):
        return "::/0"

    def get_bmc_mac(self):
        raise hardware.errors.IncompatibleHardwareMethodError()

    def get_system_vendor_info(self, *_):
        fields = ["Made-up machine", "SERIAL1", "Nobody"]
        firmware = getattr(hardware, "SystemFirmware", None)
        return hardware.SystemVendorInfo(*fields, *([firmware("Nobody", "1.0", "01/01/2026")] if firmware else []))

    def get_boot_info(self):
        return hardware.BootInfo("uefi", mac)

    def erase_block_device(self, node, block_device):
        time.sleep(3)

    def erase_devices_metadata(self, node, ports):
        return None


hardware.safety_check_block_device = lambda *_: None
MANAGER = MadeUpHardware()
detailed = hasattr(hardware, "get_managers_detail")
hardware._global_managers = (
    [{"name": "GenericHardwareManager", "manager": MANAGER, "support": 1}] if detailed else [MANAGER]
)
MadeUpHardware.__name__ = "GenericHardwareManager"


def no_lockdown(_):
    raise SystemExit("the agent wants to lock its system down")


agent.IronicPythonAgent._lockdown_system = no_lockdown

oslo_log.register_options(cfg.CONF)
cfg.CONF(args=[])
oslo_log.setup(cfg.CONF, "ironic-python-agent")
cfg.CONF.set_override("inspection_callback_url", inspection_url or None)
cfg.CONF.set_override("inspection_collectors", "default")
cfg.CONF.set_override("enable_auto_tls", False)
cfg.CONF.set_override("disk_wait_attempts", 0)
agent.IronicPythonAgent(
    api_url=api_url,
    advertise_address=agent.Host("127.0.0.1", int(advertised_port)),
    listen_address=agent.Host("127.0.0.1", int(listen_port)),
    ip_lookup_attempts=1,
    ip_lookup_sleep=1,
    network_interface=None,
    lookup_timeout=30,
    lookup_interval=1,
    standalone=False,
    agent_token=None,
).run()
