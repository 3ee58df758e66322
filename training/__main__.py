"""`python -m training COMMAND`: make-base, sft, merge, grpo, plan, redteam, pass-rate, ask, learn, hardware."""

from __future__ import annotations

import sys

from training.commands import main

if __name__ == "__main__":
    sys.exit(main())
