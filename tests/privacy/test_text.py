"""What is hidden in a text, and what only looks like a secret."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.privacy import is_secret_key, mask_text
from sitegen.privacy.text import mask_settings_text

# Put together here so that no whole token stands in the repository.
HF = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz012345"
SK = "sk-" + "proj-" + "a1B2c3D4-e5F6g7H8_i9J0k1L2m3N4"
GH = "ghp_" + "0123456789abcdefABCDEF0123456789abcd"
AWS = "AKIA" + "ABCDEFGHIJKLMNOP"
PEM = "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIEabc+/=\nxyz==\n-----END RSA PRIVATE" + " KEY-----"


@pytest.mark.parametrize(
    "key",
    [
        "hf_token",
        "trainer.hub.HF_TOKEN",
        "pinggy_token",
        "token",
        "extra_env.WANDB_API_KEY",
        "apiKey",
        "api-key",
        "aws.secret_access_key",
        "db.password",
        "passwd",
        "client_secret",
        "gcp_credential",
        "secrets.github",
    ],
)
def test_names_of_secrets(key: str) -> None:
    assert is_secret_key(key)


@pytest.mark.parametrize(
    "key",
    [
        "max_input_tokens",
        "tokenizer_path",
        "generator.max_tokens",
        "pad_token",
        "eos_token",
        "cost_per_token",
        "token_level_loss",
        "secret_santa_tasks",
        "key",
        "primary_key",
        "password_policy",
        "",
        "tokenizer.token_type",
    ],
)
def test_names_that_only_sound_like_it(key: str) -> None:
    assert not is_secret_key(key)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"login with {HF}.", "login with ••••."),
        (f"({SK})", "(••••)"),
        (f"{GH} and {AWS}", "•••• and ••••"),
        (f"a\n{PEM}\nb", "a\n••••\n\n\n\nb"),
        ("Authorization: Bearer abcdef0123456789abcdef", "Authorization: Bearer ••••"),
        ("clone https://me:s3cret@example.org/x.git", "clone https://••••@example.org/x.git"),
        ("https://x.org/a?sig=abc%3D&y=1", "https://x.org/a?sig=••••&y=1"),
        ("WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567 python", "WANDB_API_KEY=•••• python"),
        ('"pinggy_token": "a1b2c3d4e5"', '"pinggy_token": "••••"'),
        ("wrote /home/alice/runs/x.out", "wrote ~/runs/x.out"),
        ("/Users/Bob/a, /root/b, /root", "~/a, ~/b, ~"),
        ("file:///home/alice/x", "file://~/x"),
        ("/data/home/alice/x", "~/x"),
        (r"C:\Users\Bob\x", r"~\x"),
        ("mail alice.b+c@mail.example.org!", "mail ••••!"),
        ("someone@163.com", "••••"),
    ],
)
def test_secrets_homes_and_addresses_are_masked(text: str, expected: str) -> None:
    assert mask_text(text) == expected
    assert mask_text(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "3bf21d52b4a5c6d7e8f90123456789abcdef0123",
        "550e8400-e29b-41d4-a716-446655440000",
        "reward/mean@16 eval/AIME2024_Pass@16 best@4.mean/std",
        "hf_save_interval: 5",
        "hf_checkpoint_folder_of_the_last_step",
        "sk-learn-style names stay",
        "task-abcdefghijklmnopqrstuvwxyz0123",
        "tokens: 5120000000 in total",
        "token: 512",
        "Password: required",
        "secret: of success",
        "max_input_tokens=131072 tokenizer_path=/models/x",
        "https://example.org/home/about",
        "/rootfs/x chroot/root /roots",
        "git@github.com:org/repo.git",
        "ruff@0.8.4 pkg@v1.2.beta",
        "the bearer of good news",
        "no secrets here",
    ],
)
def test_look_alikes_stay(text: str) -> None:
    assert mask_text(text) == text


def test_a_yaml_configuration_as_given() -> None:
    text = f"""\
# owner: alice@example.org
trainer:
  hub:
    hf_token: {HF}  # of the team
    password: two words, and more
    api_key: |
      line one
      line two
    deploy_token:
    - first
    - second
    other: /home/alice/x
  pad_token: "<|pad|>"
  access_token: ${{oc.env:HF_TOKEN}}
  no_token: null
  max_input_tokens: 131072
users:
  - token: abc
    name: kept
  - name: kept too
flow: {{secret: abc, x: 1}}
hydra: ["++a.b.wandb_api_key=qqq", "lr=8e-6"]
"""
    assert (
        mask_settings_text(text)
        == """\
# owner: ••••
trainer:
  hub:
    hf_token: ••••  # of the team
    password: ••••
    api_key: |
      ••••
      ••••
    deploy_token:
    - ••••
    - ••••
    other: ~/x
  pad_token: "<|pad|>"
  access_token: ${oc.env:HF_TOKEN}
  no_token: null
  max_input_tokens: 131072
users:
  - token: ••••
    name: kept
  - name: kept too
flow: {secret: ••••, x: 1}
hydra: ["++a.b.wandb_api_key=••••", "lr=8e-6"]
"""
    )


def test_a_json_configuration_as_given() -> None:
    text = '{\n  "pinggy_token": "abc def",\n  "lr": 8e-6,\n  "args": ["+x.hf_token=qqq"]\n}'
    assert mask_settings_text(text) == '{\n  "pinggy_token": "••••",\n  "lr": 8e-6,\n  "args": ["+x.hf_token=••••"]\n}'


pieces = st.sampled_from(
    [
        *(HF, SK, PEM, "/home/a", "/root", "a@b.org", "token", "password", "api_key", "=", ": ", '"', "'", "\\", "\n"),
        *(" ", "x1y2z3w4", "- ", "  ", "#", "{", "}", "[", ",", "://", "u:p@h", "Bearer ", "••••", "~", "?sig=", "|"),
        "运行",
    ]
)


@settings(deadline=None)
@given(st.lists(pieces, max_size=14).map("".join))
def test_masking_twice_changes_nothing_more(text: str) -> None:
    for mask in (mask_text, mask_settings_text):
        once = mask(text)
        assert mask(once) == once
        assert once.count("\n") == text.count("\n")


@settings(deadline=None)
@given(st.lists(pieces, max_size=8).map("".join), st.lists(pieces, max_size=8).map("".join))
def test_a_known_shape_never_survives(before: str, after: str) -> None:
    assert HF not in mask_text(f"{before} {HF} {after}")
    assert "alice@example.org" not in mask_text(f"{before} alice@example.org {after}")


@pytest.mark.parametrize(
    "unit", ["a", "a-", "a.", "a@", "eyJ-", "sk-proj-", "token", "token=", "/home/", "://a:", "-----BEGIN ", "P", "# "]
)
@pytest.mark.timeout(60)  # quadratic time would be minutes
def test_long_hostile_lines_take_linear_time(unit: str) -> None:
    text = "token a@b " + unit * (200_000 // len(unit))
    mask_text(text)
    mask_settings_text(text)
    mask_settings_text("token: " + text)
