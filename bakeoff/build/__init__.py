"""Stage 2, build: from a contender's folder to a receipt of its sources, build and version."""

from bakeoff.build.builder import build, has_runs, is_built, out_folder, source_files
from bakeoff.build.checkouts import check_out
from bakeoff.build.repository import WORKING_TREE, Repository
from bakeoff.build.requirements import Missing, install_packages, missing_tools, packages
from bakeoff.build.several import Wanted, build_several
