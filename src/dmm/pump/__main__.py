"""Run the MCP entry for configurations of earlier versions."""

import sys

if __name__ == "__main__":
    # `python -I -S <this file>` knows no package; the folder that holds `dmm` is two above.
    sys.path.insert(0, __file__.rsplit("/", 3)[0].rsplit("\\", 3)[0])
    from dmm.mcp_stdio.stdio import main

    main()
