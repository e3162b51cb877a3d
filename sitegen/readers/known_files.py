"""Files that lie in run folders and that no reader takes, each kind with the reason.

A kind is told by name and place alone; where names are shared (`config.json`), by keys in the head, which is there
only for files that a reader names. Weights are never opened.

Source: Harbor 0.26 `models/trial/paths.py`, `models/job`; Transformers 4.57 `utils/hub.py` (file names of a saved
model); PyTorch 2 `torch.save`, `distributed.checkpoint`; W&B 0.23 `wandb/sdk/lib/filenames.py`; MarinSkyRL
`skyrl_train/evaluate.py` (`dumped_evals`); Kubernetes 1.34 object fields; NeMo-RL `infra/nrl_k8s`; DeepSpeed 0.18
`runtime/config.py`; Accelerate 1.11 `commands/config`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate
from functools import cache, lru_cache

from sitegen.model.run import SourceFile
from sitegen.readers.base import Reader
from sitegen.text import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFile:
    """One kind of file that is not read."""

    names: tuple[str, ...]
    """Lower-case `fnmatch` patterns on the file's name."""
    reason: Text
    """What it is, and why it is not read."""
    place: str = "*"
    """Lower-case `fnmatch` pattern on the file's path in the archive."""
    keys: tuple[bytes, ...] = ()
    """What the head must hold, any of them; empty for files told by name alone."""

    def matches(self, source: SourceFile) -> bool:
        """Whether a file of such a name is of this kind."""
        told = not self.keys or any(key in source.head for key in self.keys)
        return told and fnmatchcase(source.path.lower(), self.place)


_MODEL = Text("part of an exported model", "导出模型的一部分")
_HARBOR = Text(
    "settings of a Harbor job or trial; what it did is read from its results",
    "Harbor 作业或试验的设置；其结果从结果文件读取",
)

KNOWN_FILES: tuple[KnownFile, ...] = (
    KnownFile(
        names=(
            *("*.safetensors", "*.bin", "*.pt", "*.pth", "*.ckpt", "*.gguf", "*.ggml", "*.distcp", "*.npz", "*.npy"),
            *("*.onnx", "*.h5", "*.msgpack", "*.pkl", "*.pickle", ".metadata"),
        ),
        reason=Text(
            "weights, optimizer or trainer state in a binary format; never opened",
            "权重、优化器或训练器状态的二进制文件；从不打开",
        ),
    ),
    KnownFile(
        names=(
            *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.json"),
            *("merges.txt", "vocab.txt", "*.model", "chat_template.*", "generation_config.json", "*.tiktoken"),
            *("preprocessor_config.json", "processor_config.json", "*.safetensors.index.json", "*.bin.index.json"),
            *("modeling_*.py", "configuration_*.py", "tokenization_*.py", "adapter_config.json"),
        ),
        reason=_MODEL,
    ),
    KnownFile(
        names=("config.json",),
        keys=(b'"architectures"', b'"model_type"', b'"transformers_version"', b'"peft_type"'),
        reason=_MODEL,
    ),
    KnownFile(
        names=("config.json",),
        keys=(b'"trial_name"', b'"trials_dir"', b'"jobs_dir"', b'"n_attempts"', b'"job_name"', b'"verifier"'),
        reason=_HARBOR,
    ),
    KnownFile(
        names=("lock.json",),
        reason=Text("versions that a Harbor job was fixed to", "Harbor 作业所固定的版本"),
    ),
    KnownFile(
        names=("job.log", "trial.log"),
        reason=Text(
            "Harbor’s own log of a job or trial; its results are read instead",
            "Harbor 自身的作业或试验日志；改为读取其结果",
        ),
    ),
    KnownFile(
        names=("trajectory*.json", "*.trajectory.json", "*.trajectory.cont-*.json"),
        reason=Text(
            "dialogue of an agent (ATIF); turns, tokens and times are read from the trial’s result",
            "智能体的对话（ATIF）；轮数、token 与时间从试验结果读取",
        ),
    ),
    KnownFile(
        names=("*.txt", "*.json", "*.md"),
        place="*/episode-*/*",
        reason=Text(
            "one turn of an agent’s dialogue; turns and tokens are read from the trial’s result",
            "智能体对话中的一轮；轮数与 token 从试验结果读取",
        ),
    ),
    KnownFile(
        names=("exception.txt",),
        reason=Text(
            "traceback of a trial; its exception is read from the trial’s result",
            "试验的异常回溯；异常从试验结果读取",
        ),
    ),
    KnownFile(
        names=("reward.txt", "reward.json", "reward-details.json", "test-stdout.txt", "test-stderr.txt", "ctrf.json"),
        reason=Text(
            "output of a trial’s verifier; rewards are read from the trial’s result",
            "试验验证器的输出；奖励从试验结果读取",
        ),
    ),
    KnownFile(
        names=("*.pane", "*.cast"),
        reason=Text("recording of a terminal", "终端录制"),
    ),
    KnownFile(
        names=("*.jsonl",),
        place="*dumped_evals/*",
        reason=Text(
            "answers of an evaluation one by one; its averages are read from aggregated_results.jsonl",
            "评测的逐条回答；其平均值从 aggregated_results.jsonl 读取",
        ),
    ),
    KnownFile(
        names=("requirements.txt", "conda-environment.yaml", "conda-environment.yml", "diff.patch", "*.patch"),
        reason=Text("record of a software environment", "软件环境的记录"),
    ),
    KnownFile(
        names=("debug.log", "debug-internal.log", "debug-core.log", "debug-cli*.log"),
        place="*wandb*",
        reason=Text("W&B’s own log", "W&B 自身的日志"),
    ),
    KnownFile(
        names=("latest-run",),
        reason=Text(
            "points to another W&B folder, which is read under its own name",
            "指向另一个 W&B 文件夹，后者按自身名称读取",
        ),
    ),
    KnownFile(
        names=("*.yaml", "*.yml"),
        keys=(b"apiVersion:", b"kuberay:", b"imagePullSecrets:"),
        reason=Text(
            "description of a cluster (Kubernetes); settings of the training are read from its own configuration",
            "集群描述（Kubernetes）；训练设置从其自身的配置文件读取",
        ),
    ),
    KnownFile(
        names=("*.yaml", "*.yml", "*.json"),
        keys=(b'"zero_optimization"', b"zero_optimization:", b"distributed_type:"),
        reason=Text(
            "settings of how processes share the work (DeepSpeed, Accelerate)",
            "进程间分工的设置（DeepSpeed、Accelerate）",
        ),
    ),
    KnownFile(
        names=("*.png", "*.jpg", "*.jpeg", "*.gif", "*.svg", "*.webp", "*.pdf", "*.mp4", "*.webm"),
        reason=Text("a picture or film; charts are drawn from the data", "图片或影片；此处的图表由数据绘制"),
    ),
    KnownFile(
        names=("*.zip", "*.tar", "*.tar.*", "*.tgz", "*.7z", "*.rar", "*.whl"),
        reason=Text("an archive; what it holds is read once unpacked", "压缩包；解压后才会读取其内容"),
    ),
    KnownFile(
        names=("*.parquet", "*.arrow", "*.feather", "*.lance", "*.db", "*.sqlite", "*.sqlite3"),
        reason=Text("data set, rollouts or database in a binary table", "二进制表格形式的数据集、采样记录或数据库"),
    ),
    KnownFile(
        names=("*.py", "*.sh", "*.sbatch", "*.slurm", "*.ipynb", "*.js", "dockerfile", "makefile", "*.c", "*.cu"),
        reason=Text(
            "code or launch script; settings are read from configuration files", "代码或启动脚本；设置从配置文件读取"
        ),
    ),
    KnownFile(
        names=("license*", "notice*", "citation.cff", "*.bib", "*.html", "*.css"),
        reason=Text("licence, citation or web page", "许可证、引用信息或网页"),
    ),
)
"""Kinds in order: a file is of the first that it matches."""

OTHER = Text("no reader knows this kind of file", "没有读取器认识这种文件")
EMPTY = Text("empty", "空文件")


def reason_for(source: SourceFile, readers: Sequence[Reader]) -> Text:
    """Why a file that no reader claimed is not read.

    Args:
        source: The file.
        readers: All readers, for files that are named as one of theirs and are something else.
    """
    for known in _kinds_named(source.name.lower()):
        if known.matches(source):
            return known.reason
    if source.size == 0:
        return EMPTY
    named = [reader for reader in readers if reader.names_match(source.name) and not _wide(reader)]
    if named:
        return Text(
            f"named like “{named[0].title.en}”, but its content is of no known format",
            f"名称像“{named[0].title.zh}”，但内容不是已知格式",
        )
    return OTHER


@lru_cache(maxsize=65536)
def _kinds_named(name: str) -> tuple[KnownFile, ...]:
    """Kinds that a lower-case name may be of; remembered, because trials repeat the same few names."""
    return tuple(known for known in KNOWN_FILES if _any_of(known.names).match(name))


@cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """One expression for several patterns."""
    return re.compile("|".join(translate(pattern) for pattern in patterns))


def _wide(reader: Reader) -> bool:
    """Whether a reader looks at every file of some suffix, so that a name says nothing."""
    return any(pattern.startswith("*.") for pattern in reader.names)
