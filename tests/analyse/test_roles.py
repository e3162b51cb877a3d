"""Roles of a site's own."""

from __future__ import annotations

import pytest

from sitegen.analyse.roles import check_roles
from sitegen.errors import SettingsError
from sitegen.settings import SiteSettings


def test_a_role_that_does_not_exist_is_refused_with_the_nearest_one() -> None:
    check_roles(SiteSettings(roles={"reward": ("mine",)}))
    with pytest.raises(SettingsError, match=r"sitegen\.toml: roles: unknown role 'rewards'; did you mean 'reward'"):
        check_roles(SiteSettings(roles={"rewards": ("mine",)}))
