from sitegen.analyse.config_keys import find, find_float, find_int, find_names, find_text
from tests.factories import make_config


def test_exact_key_comes_before_the_end_of_a_longer_one():
    config = make_config({"a.lr": 1.0, "lr": 2.0})
    assert find_float(config, "lr") == 2.0
    assert find_float(make_config({"a.lr": 1.0, "b.lr": 3.0}), "lr") == 1.0


def test_key_ends_at_a_dot():
    assert find(make_config({"trainer.my_max_steps": 5}), "max_steps") is None


def test_what_says_nothing_is_passed_over():
    for nothing in (None, "", "???", "${a.b}", [], "null"):
        assert find(make_config({"a.k": nothing, "b.k": 7}), "k") == 7
    assert find(make_config({"k": False}), "k") is False


def test_types():
    config = make_config({"i": 3, "b": True, "f": 0.5, "t": "x", "l": ["x", "y"], "n": float("nan"), "big": 10**400})
    assert [find_int(config, k) for k in ("i", "b", "f", "t")] == [3, None, None, None]
    assert [find_float(config, k) for k in ("i", "b", "f", "t", "n", "big")] == [3.0, None, 0.5, None, None, None]
    assert [find_text(config, k) for k in ("t", "l", "i")] == ["x", "x, y", None]
    assert find_names(config, "l") == {"x", "y"}
    assert find_names(config, "t") is None
    assert find(None, "k") is None
    assert find_names(None, "k") is None
