"""A bundle of published units as the open data have it, of units that nobody publishes."""

BUNDLE = {
    "units": [
        {
            "id": "moss-guard",
            "name": "Moss Guard",
            "aliases": ["Lichen Watch"],
            "base_size_mm": {"shape": "round", "diameter": 32},
            "profiles": [{"name": "Moss Guard", "M": 6}, {"name": "Moss Sergeant", "M": 7}],
            "keywords": ["Infantry", "Moss"],
        },
        {
            "id": "heron",
            "name": "Heron’s-Eye Skiff",
            "base_size_mm": {"shape": "flying-base", "length": 52.5, "width": 90, "draft": True},
            "profiles": [{"name": "Skiff", "M": 14}],
            "keywords": ["Vehicle", "Fly", "Transport"],
            "transport_capacity": {"capacity": 6},
        },
        {
            "id": "toad",
            "name": "Old Toad",
            "base_size_mm": {"shape": "round", "diameter": 40},
            "profiles": [{"name": "Old Toad", "M": 5}],
            "keywords": ["Infantry", "Character"],
        },
        {"id": "gnat", "name": "Gnats", "base_size_mm": {"shape": "flying-base", "size": "small"}, "profiles": []},
        {"id": "crawler", "name": "Crawler", "base_size_mm": {"shape": "hull"}, "profiles": [{"name": "x", "M": None}]},
        {"id": "odd", "name": "Odd", "base_size_mm": {"shape": "round", "diameter": "wide"}, "profiles": "none"},
        "no unit",
    ],
    "unit_compositions": [
        {
            "unit_id": "moss-guard",
            "models": [
                {"name": "Moss Sergeant", "base_size_mm": {"shape": "oval", "length": 35.5, "width": 60}},
                {"name": "Moss Guard"},
            ],
        }
    ],
}
