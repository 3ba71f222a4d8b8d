"""Models that have learnt from change points: the stoppers of Traini et al. 2024."""
