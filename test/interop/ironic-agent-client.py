"""
Calls methods of Ironic's own AgentClient (Debian's python3-ironic) and prints what each returns or raises, as JSON.

    python3 ironic-agent-client.py AGENT_URL '[["TOKEN", "get_clean_steps", {"ports": []}], ...]'
"""
import json
import sys

from ironic.conf import CONF

url, calls = sys.argv[1], json.loads(sys.argv[2])
CONF([], project="ironic", default_config_files=[])
CONF.set_override("command_timeout", 10, "agent")

from ironic.drivers.modules.agent_client import AgentClient  # noqa: E402


class Node:
    uuid = "1be26c0b-03f2-4d2e-ae87-c02d7f33c123"
    driver_info = {}
    instance_info = {}

    def __init__(self, token):
        self.driver_internal_info = {"agent_url": url, "agent_secret_token": token}

    def as_dict(self, secure=False):
        return {"uuid": self.uuid, "properties": {}, "driver_internal_info": {}}


def outcome(token, method, arguments):
    try:
        return {"returned": getattr(AgentClient(), method)(node=Node(token), **arguments)}
    except Exception as error:
        return {"raised": type(error).__name__, "text": str(error)}


print(json.dumps([outcome(*call) for call in calls]))
