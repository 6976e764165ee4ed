"""Run the background process in the foreground."""

import sys

from dmm.daemon.run import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
