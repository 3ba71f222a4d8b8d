"""Published results of the stoppers of Traini et al. 2024."""

from __future__ import annotations

PAPER = {"fcn": "FCN", "oscnn": "OSCNN", "rocket-0": "ROCKET"}
"""Published results of each stopper."""

PUBLISHED_CALLS = {
    "FCN": (0.880, 0.659, 0.753, 0.712),
    "OSCNN": (0.886, 0.650, 0.748, 0.715),
    "ROCKET": (0.810, 0.932, 0.867, 0.682),
}
"""Precision, recall, F1, balanced accuracy: table 2."""

PUBLISHED_EFFECTS = {
    "FCN": {"SOP": (0.664, 0.352), "CV": (0.637, 0.370),
            "RCIW": (0.731, 0.400), "KLD": (0.630, 0.292)},
    "OSCNN": {"SOP": (0.658, 0.348), "CV": (0.632, 0.385),
              "RCIW": (0.728, 0.414), "KLD": (0.621, 0.288)},
    "ROCKET": {"SOP": (0.683, 0.282), "CV": (0.649, 0.245),
               "RCIW": (0.726, 0.264), "KLD": (0.656, 0.157)},
}  # fmt: skip
"""A12 and rank-biserial correlation: tables 3 and 6."""

PUBLISHED_BALANCES = {
    "FCN": {"SOP": (16.7, 30.7, 14.3, 7.8, 25.3), "CV": (26.8, 27.1, 12.3, 7.7, 34.0),
            "RCIW": (6.3, 50.3, 24.2, 4.6, 27.8), "KLD": (25.9, 24.4, 13.1, 10.4, 26.8)},
    "OSCNN": {"SOP": (17.9, 30.9, 13.7, 8.2, 27.0), "CV": (28.8, 26.8, 12.3, 8.0, 35.3),
              "RCIW": (7.0, 52.6, 21.8, 4.8, 32.9), "KLD": (27.8, 23.0, 12.1, 12.8, 25.9)},
    "ROCKET": {"SOP": (9.4, 20.1, 25.9, 6.5, -2.9), "CV": (11.3, 19.8, 24.6, 2.7, 3.8),
               "RCIW": (4.1, 24.4, 51.4, 3.4, -26.3), "KLD": (7.2, 21.5, 22.5, 3.9, 2.2)},
}  # fmt: skip
"""Improved in quality and in time, regressed in quality and in time, net, %: tables 4 and 7."""

PUBLISHED_RESULTS = {
    "FCN": ("5.7 (2.8 to 11.3)", "74 (43 to 150)"),
    "OSCNN": ("5.5 (2.4 to 12.3)", "79 (47 to 161)"),
    "ROCKET": ("10.0 (4.5 to 21.7)", "51 (30 to 78)"),
    "SOP": ("6.5 (2.4 to 19.2)", "100 (30 to 403)"),
    "CV": ("9.9 (4.7 to 17.5)", "75 (51 to 113)"),
    "RCIW": ("4.5 (1.8 to 11.5)", "300 (265 to 301)"),
    "KLD": ("7.9 (4.2 to 13.4)", "121 (94 to 156)"),
}
"""Deviation, %, and seconds: table 5."""

PUBLISHED_SHARES = {
    "FCN": (38.1, 15.5), "OSCNN": (41.2, 14.9), "ROCKET": (13.0, 16.6), "SOP": (63.9, 0.1),
    "RCIW": (74.1, 0.0),
}  # fmt: skip
"""Forks whose warm-up is too long, and those where it is exact, %: figure 4."""
