"""`python -m studyservice.trial.secret_key`: create the trial's secret in `DATA_DIR`, unless the environment has one.

It uses only the standard library, because it runs before the settings can be loaded.
"""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path


def write_trial_secret(data_dir: Path) -> None:
    """Create the secret and a new directory, readable only by this user. A concurrent caller keeps the existing one."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = data_dir / "trial-secret-key"
    if os.environ.get("SECRET_KEY") or os.environ.get("SECRET_KEY_FILE") or file.exists():
        return
    # Written atomically: a link appears at once, and only if the file does not exist yet.
    with tempfile.NamedTemporaryFile("w", dir=data_dir) as written:  # mode 600
        written.write(secrets.token_urlsafe(64) + "\n")
        written.flush()
        with suppress(FileExistsError):
            file.hardlink_to(written.name)


if __name__ == "__main__":
    write_trial_secret(Path(os.environ["DATA_DIR"]))
