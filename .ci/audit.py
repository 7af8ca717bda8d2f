"""Known weaknesses of what is installed, as pip-audit finds them: `python .ci/audit.py
SITE-PACKAGES`.

They are listed and stop nothing, because a weakness that becomes known today is not the fault of
today's change. Where the advisories are out of reach, that is said.
"""

import json
import subprocess
import sys

command = [
    sys.executable,
    "-m",
    "pip_audit",
    "--path",
    sys.argv[1],
    "--format",
    "json",
    "--progress-spinner",
    "off",
]
packages, reason = [], "no answer in 90 seconds"
try:
    run = subprocess.run(command, capture_output=True, text=True, timeout=90)
    reason = (run.stderr.strip().splitlines() or ["no answer"])[-1]
    packages = json.loads(run.stdout)["dependencies"]
except (subprocess.TimeoutExpired, ValueError, KeyError):
    pass
audited = [package for package in packages if "vulns" in package]
if not audited:
    reason = packages[0].get("skip_reason") if packages else reason
    print(f"pip-audit was skipped: the advisories are out of reach ({reason})")
for package in audited:
    for weakness in package["vulns"]:
        fixed = ", ".join(weakness["fix_versions"]) or "no version"
        print(
            f"pip-audit: {package['name']} {package['version']}: {weakness['id']}, mended in {fixed}"
        )
if audited:
    print(f"pip-audit: {len(audited)} of {len(packages)} packages audited")
