"""List the recipes and the presets."""

from __future__ import annotations

from typing import Any

from llt.cli.options import JSON


def run(
    json_: bool = JSON,
) -> None:
    """List the recipes, how a model is trained, and the presets, how large it is."""
    import json

    from llt.cli.comments import plain

    about = about_recipes()
    if json_:
        print(json.dumps(about))
        return
    print("Recipes, chosen with --recipe NAME")
    for name, line in about["recipes"].items():
        print(f"  {name:<12}{line}")
    print("\nPresets of LLT with recipe paper: the problem's own, or another with --preset NAME")
    for name, sections in about["presets"].items():
        words = [
            f"{part}.{key}={plain(v)}" for part in sections for key, v in sections[part].items()
        ]
        print(f"  {name:<12}{' '.join(words)}")
    print("\nllt train FILE --show tells what they come to for a dataset")


def about_recipes() -> dict[str, Any]:
    """Recipes by name, and of every preset what differs from the defaults."""
    from llt.presets import PRESETS
    from llt.recipes import RECIPES
    from llt.training.config import TrainConfig

    defaults = TrainConfig().to_dict()
    presets = {}
    for name, preset in PRESETS.items():
        train = preset.train.to_dict()
        changed = {key: value for key, value in train.items() if value != defaults[key]}
        presets[name] = {"model": dict(preset.model), "train": changed}
    return {"recipes": dict(RECIPES), "presets": presets}
