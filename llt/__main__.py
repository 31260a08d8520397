import sys

from llt.cli import main

sys.exit(main())
