"""Runs the hook from its file, without the packages of the site: the fastest way to start it."""

import sys

if __name__ == "__main__":
    # `python -I -S <this file>` knows no package; the folder that holds `dmm` is two above.
    sys.path.insert(0, __file__.rsplit("/", 3)[0].rsplit("\\", 3)[0])
    # What a few rules need, such as a search by structure, stands beside this interpreter.
    place = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    sys.path.append(f"{sys.executable.rsplit('/', 2)[0]}/{place}")
    from dmm.hook.client import main

    main()
