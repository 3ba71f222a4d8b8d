"""Change points: CP-SSD, the detector of Traini et al. 2023."""
