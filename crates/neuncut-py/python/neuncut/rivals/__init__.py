"""The methods that NeuNcut is compared with, on the same features and affinities.

Spectral clustering, EnSC, SenetSC and :class:`Ensemble` know only the rows that they were fitted on, all of them; the others label new rows.
"""

from __future__ import annotations

from .anchors import LSC, RESKM, USENC, USPEC, AutoSC, Bipartite, Nystrom
from .autoencoders import DEPICT, EDESC, VaDE
from .cnc import CNC
from .embedding_networks import BaSiS, SpecNet2, SpectralNet
from .ensemble import Ensemble
from .heads import SCAN, TEMI, TURTLE, ICon
from .kmeans import KMeans
from .leiden import Leiden
from .spectral import NSC, MinMaxCut, Ncut, Rcut, Rotation
from .subspaces import ESC, EnSC, SenetSC
from .ward import Ward

__all__ = [
    "CNC",
    "DEPICT",
    "EDESC",
    "ESC",
    "LSC",
    "NSC",
    "RESKM",
    "SCAN",
    "TEMI",
    "TURTLE",
    "USENC",
    "USPEC",
    "AutoSC",
    "BaSiS",
    "Bipartite",
    "EnSC",
    "Ensemble",
    "ICon",
    "KMeans",
    "Leiden",
    "MinMaxCut",
    "Ncut",
    "Nystrom",
    "Rcut",
    "Rotation",
    "SenetSC",
    "SpecNet2",
    "SpectralNet",
    "VaDE",
    "Ward",
]
