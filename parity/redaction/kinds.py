"""What counts as personal, secret or a vendor's own: the kinds, and the lists their rules go by.

Only lists and numbers, so that a reader sees at one place what is decided (`docs/redaction.md` repeats it).
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KINDS = (
    "path",
    "user",
    "host",
    "email",
    "authorization",
    "token",
    "environment",
    "id",
    "catalogue",
    "prompt",
    "registry",
)
"""Every kind of thing that is taken out."""

FORMS = ("nested", "bytes", "base64", "streams")
"""Every disguise it is looked for in: JSON in strings, arrays of bytes, base64, texts cut into pieces."""

HOME = "/home/user"
WORKSPACE = "/home/user/workspace"
USER = "user"
HOST = "host"
EMAIL = "user@example.com"
REGISTRY = "registry.example.com"

COMMON_NAMES = _words(
    """
    admin administrator agent api app assistant azureuser bash bin build builder cell centos chat ci
    circleci claude client cloud code codex coder com command computer content cursor debian default
    desktop dev developer devcontainer docker ec2-user error event example fedora file gemini git
    github gitlab gitpod grok guest home host input item jenkins laptop linux local localhost
    localdomain mac macbook main message mode model name node nobody ops output owner parity path plan
    postgres prompt provider python qwen redacted registry result role root runner sandbox server
    service session shell staff state status system task test tester text thread tmp token tool turn
    type ubuntu unknown update user users vagrant value vm vscode web windows work workspace www
    """
)
"""Names that are words too: they are replaced in paths, in `name@host` and in fields that hold a name,
nowhere else."""

SHORTEST_NAME = 4
"""Characters; a shorter name is treated like a common one."""

ENVIRONMENT_FIELDS = _words(
    """
    env environ environment envvars env_vars environmentvariables environment_variables
    """
)
"""Fields whose object, or list of {name, value}, is an environment. In lower case, as all names here."""

ENVIRONMENT_ALLOWED = re.compile(
    r"(?i)(?:CI|TERM|COLORTERM|LANG|LANGUAGE|LC_\w+|TZ|SHELL|PAGER|\w+_PAGER|EDITOR|VISUAL|HOME|PWD|OLDPWD|USER|USERNAME|"
    r"LOGNAME|HOSTNAME|FORCE_COLOR|NO_COLOR|CLICOLOR\w*|COLUMNS|LINES|\w*PROGRESS\w*|MAVEN_OPTS|GRADLE_OPTS|NODE_ENV|"
    r"NODE_OPTIONS|DEBIAN_FRONTEND|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|GIT_TERMINAL_PROMPT|GIT_EDITOR|DEBUG|"
    r"LOG_LEVEL|RUST_LOG|RUST_BACKTRACE|NO_BROWSER|\w+_SESSION_ID)"
)
"""Variables that keep their value (which still goes through the rules for texts)."""

AUTHORIZATION_FIELDS = _words(
    """
    authorization proxy-authorization x-api-key api-key x-goog-api-key x-auth-token cookie set-cookie
    """
)
"""Headers whose value is a credential."""

SECRET_FIELD = re.compile(
    r"(?:^|_)(?:\w*(?:api|access|auth|secret|private|signing|encryption|bearer|refresh|id)_?(?:key|token|secret)(?:_id)?|"
    r"key|token|secret|pat|passwd|password|passphrase|pwd|credentials?)$"
)
"""Fields that hold a secret, if what they hold looks like one (`values.looks_secret`); in snake_case."""

PROTOCOL_TOKENS = _words(
    """
    progresstoken nextpagetoken pagetoken continuationtoken synctoken
    """
)
"""Fields that end like a secret's and hold a protocol's own matching marks."""

ID_FIELDS = _words(
    """
    installationid installation_id installid deviceid device_id machineid machine_id anonymousid
    anonymous_id distinctid distinct_id accountid account_id accountuuid account_uuid userid user_id
    useruuid user_uuid organizationid organization_id organizationuuid organization_uuid orgid org_id
    teamid team_id tenantid tenant_id workspaceaccountid chatgpt_account_id chatgptaccountid
    organizationname organization_name subscriptionid subscription_id customerid customer_id
    """
)
"""Fields that name an installation, a device or an account."""

HOST_FIELDS = _words(
    """
    hostname host_name machinename machine_name computername computer_name nodename
    """
)
USER_FIELDS = _words(
    """
    username user_name login logname fullname full_name
    """
)

CATALOGUES = _words(
    """
    availablemodels availablecommands availableskills availableskilldetails availablemodes models
    commands slash_commands slashcommands skills tools agents plugins mcp_servers mcpservers
    output_styles available_output_styles prompts resources resourcetemplates extensions marketplaces
    """
)
"""Lists a vendor ships: models, slash commands, skills, tools, agents, …; also `options` beside
`currentValue`, and `data` in the answer to `model/list`."""

CATALOGUE_MOST = 12
"""A catalogue with more entries is trimmed …"""

CATALOGUE_KEPT = 6
"""… to so many, and the entry named as the current one."""

CATALOGUE_TEXT_MOST = 400
"""Characters; a longer text inside a catalogue's entry is trimmed."""

PROMPTS = _words(
    """
    systemprompt system_prompt appendsystemprompt append_system_prompt customsystemprompt
    baseinstructions base_instructions developerinstructions developer_instructions userinstructions
    user_instructions systeminstruction system_instruction systeminstructions instructions
    """
)
"""Fields that hold what a vendor tells its model; also the text of a system or developer message."""

PROMPT_MOST = 200
"""Characters; a longer one is trimmed."""

TEXT_KEPT = 60
"""Characters kept of a trimmed text."""

PAYLOADS = _words(
    """
    rawinput rawoutput arguments input tool_input tool_use_result output
    """
)
"""Inside these a tool speaks, not the vendor: nothing is a catalogue or a prompt."""
