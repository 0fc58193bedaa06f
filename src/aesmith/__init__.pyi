from aesmith.api import AesmithError as AesmithError
from aesmith.api import Core as Core
from aesmith.api import Engine as Engine
from aesmith.api import core as core
from aesmith.api import engine as engine
from aesmith.api import libraries as libraries
from aesmith.api import library as library
from aesmith.api import listing as listing
from aesmith.api import points_of as points_of
from aesmith.api import presets as presets
from aesmith.api import recommend as recommend
from aesmith.api import sbox as sbox
from aesmith.api import sbox_names as sbox_names
from aesmith.api import search as search
from aesmith.api import sweep as sweep

__version__: str
