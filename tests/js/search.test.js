"use strict";
const test = require("node:test");
const assert = require("node:assert/strict");
const load = require("./load.js");
const { plain } = load;

const { search } = load("filter", "search");

/** A small index; runs 0 and 1 log the reward, run 1 alone the entropy. */
function data(changes) {
  return {
    version: search.VERSION,
    runs: {
      t: ["calendar-80-8B", "运行 一", "web-search-entropy"],
      s: ["calendar-80-8b", "yun-xing", "web"],
      a: ["SkyRL · Qwen/Qwen3-8B", "verl", ""],
      x: ["synthetic baseline", "", "note about lr"],
      d: [20610, 20600, null],
    },
    entries: {
      i: ["skyrl-avg_raw_reward", "skyrl-policy_entropy", "common-ema", "common-lr", "harbor-agenttimeouterror"],
      n: ["reward/avg_raw_reward", "policy/policy_entropy", "", "optimizer_config.lr", "AgentTimeoutError"],
      te: ["Mean raw reward", "Policy entropy", "Exponential moving average (EMA)", "Learning rate", "Agent out of time"],
      tz: ["平均原始奖励", "策略熵", "指数滑动平均（EMA）", "学习率", "智能体超时"],
      se: ["Mean over all trajectories.", "How undecided the policy is.", "A smoothed course.", "Step size; unlike entropy it is set.", "Time ran out."],
      sz: ["全部轨迹的平均奖励。", "策略对下一个词元有多犹豫。", "平滑后的曲线。", "优化器的步长。", "时间用尽。"],
      fe: ["SkyRL", "SkyRL", "Concepts", "SkyRL", "Harbor"],
      fz: ["SkyRL", "SkyRL", "概念", "SkyRL", "Harbor"],
    },
    metrics: { n: ["reward/avg_raw_reward", "policy/policy_entropy"], e: [0, 1], r: [0, 1] },
    exceptions: { n: ["AgentTimeoutError"], e: [4], r: [2] },
    settings: { n: ["trainer.policy.optimizer_config.lr", "my.own.key"], e: [3, -1], r: [0, 2] },
    values: { k: [0, 0, 1], v: ["2e-5", "8e-6", "grpo"], r: [2, 1, 2] },
    facets: { fe: ["Tag"], fz: ["标签"], te: ["baseline"], tz: ["baseline"], l: ["index.html#tag=baseline"], r: [2] },
    pages: { te: ["The selected checkpoint"], tz: ["所选检查点"], se: ["Best step."], sz: ["最佳的一步。"], l: ["about.html#checkpoint"] },
    left: [],
    sets: [
      [0, 2],
      [1, 1],
      [0, 1],
    ],
    ...changes,
  };
}

const index = search.prepare(data());

/** Kinds and labels found, best first. */
function found(query, lang = "en") {
  const own = lang === "zh" ? 1 : 0;
  const groups = search.find(index, query, lang);
  return plain(groups.flatMap(({ kind, items }) => items.map((item) => `${kind} ${item.name || item.titles[own]}`)));
}

test("an index of another version is refused", () => {
  assert.equal(search.prepare(data({ version: 0 })), null);
  assert.equal(search.prepare(undefined), null);
});

test("the whole name fits best, then beginnings, then parts, then the middle", () => {
  const fits = ["lr", "lr/decay", "lrs", "opt.lr", "opt.lrs", "ctrl"].map((name) => search.fit(name, "lr", true));
  assert.deepEqual(fits, [...fits].sort((a, b) => b - a));
  assert.equal(new Set(fits).size, fits.length);
  assert.equal(search.fit("ctrl", "lr", false), 0);
  assert.equal(search.fit("ctrl", "l", true), 0, "one letter is looked for at the beginning of parts only");
});

test("every word must fit, in any order, and case and width do not matter", () => {
  assert.deepEqual(found("raw mean"), ["metric reward/avg_raw_reward"]);
  assert.deepEqual(found("ＲＡＷ　Mean"), ["metric reward/avg_raw_reward"]);
  assert.deepEqual(found("raw nothing"), []);
  assert.deepEqual(found("  "), []);
});

test("parts of a name are found whatever parts them", () => {
  for (const query of ["policy/policy_entropy", "policy-entropy", "policy.entropy", "policy_ent"]) {
    assert.ok(found(query).includes("metric policy/policy_entropy"), query);
  }
});

test("what parts a name does not matter, nor which of them comes first", () => {
  const all = found("policy entropy");
  assert.equal(all[0], "metric policy/policy_entropy");
  for (const query of ["policy_entropy", "policy/entropy", "Policy.Entropy", "policy-entropy", "ｐｏｌｉｃｙ＿ｅｎｔｒｏｐｙ"]) {
    assert.deepEqual(found(query), all, query);
  }
  assert.deepEqual(found("raw_reward avg").slice(0, 1), ["metric reward/avg_raw_reward"]);
  for (const query of ["agent_timeout_error", "AgentTimeout", "timeout-error", "agent timeout"]) {
    assert.deepEqual(found(query), ["exception AgentTimeoutError"], query);
  }
});

test("a slip is forgiven: a letter wrong, missing, too many, or two exchanged; in long words two of them", () => {
  const slips = {
    "metric policy/policy_entropy": ["entrpy policy", "polcy entropy", "policy_entorpy", "policyy entropy"],
    "exception AgentTimeoutError": ["timout", "AgentTimeuotEror", "tiemout"],
    "run calendar-80-8B": ["claendar", "calandar", "calend4r", "callender"],
    "metric reward/avg_raw_reward": ["rewrad", "reqard avg"],
  };
  for (const [item, queries] of Object.entries(slips)) {
    for (const query of queries) assert.ok(found(query).includes(item), `${query}: ${found(query)}`);
  }
  for (const query of ["lrr", "emu", "cclendarrr", "zzzzzzzz", "80000"]) assert.deepEqual(found(query), [], query);
});

test("a plural finds what is named in the singular, after its like", () => {
  assert.deepEqual(found("policies"), []);
  for (const query of ["rewards", "raw rewards"]) assert.deepEqual(found(query), ["metric reward/avg_raw_reward"], query);
  const runs = { t: ["reward", "rewards", "loss"], s: ["a", "b", "c"], a: ["", "", ""], x: ["", "", ""], d: [1, 1, 1] };
  const [group] = search.find(search.prepare(data({ runs })), "rewards", "en");
  assert.deepEqual(plain(group.items.map((item) => item.titles[0])), ["rewards", "reward"]);
});

test("names are found without what parts them", () => {
  for (const query of ["policyentropy", "rawreward", "PolicyEntropy"]) assert.equal(found(query).length, 1, query);
  assert.ok(found("avgraw").includes("metric reward/avg_raw_reward"));
});

test("a word with a slip comes before one that only begins like it", () => {
  const both = data({ settings: { n: ["entrypoint", "my.own.key"], e: [-1, -1], r: [0, 2] } });
  const kinds = plain(search.find(search.prepare(both), "entrpy", "en").map(({ kind }) => kind));
  assert.ok(kinds.indexOf("setting") > kinds.indexOf("metric"), String(kinds));
});

test("a word that begins a name is no slip of another", () => {
  const two = search.prepare(data({ runs: { ...data().runs, t: ["lass", "loss"], s: ["a", "b"], a: ["", ""], x: ["", ""], d: [1, 2] } }));
  const titles = (query) => plain(search.find(two, query, "en").flatMap(({ items }) => items.map((item) => item.titles[0])));
  assert.deepEqual(titles("loss"), ["loss"]);
  assert.deepEqual(titles("lasz"), ["lass"]);
});

test("the whole name, its beginning, a part's beginning, the middle and a slip come in this order", () => {
  const names = ["mentor", "entropy", "entropy-low", "low-entropy", "low-entropyish"];
  const few = search.prepare(
    data({ runs: { t: names, s: names, a: names.map(() => ""), x: names.map(() => ""), d: names.map(() => 1) } }),
  );
  const runs = (query) => {
    const group = search.find(few, query, "en").find(({ kind }) => kind === "run");
    return group ? plain(group.items.map((item) => item.titles[0])) : [];
  };
  assert.deepEqual(runs("entropy"), ["entropy", "entropy-low", "low-entropy", "low-entropyish"]);
  assert.deepEqual(runs("ent"), ["entropy", "entropy-low", "low-entropy", "low-entropyish", "mentor"]);
  assert.deepEqual(runs("entrppy").slice(0, 2), ["entropy", "entropy-low"]);
});

test("chinese forgives one other character in three or more", () => {
  assert.deepEqual(found("平均原史奖励", "zh"), ["metric reward/avg_raw_reward"]);
  assert.deepEqual(found("策咯熵", "zh"), ["metric policy/policy_entropy"]);
  assert.deepEqual(found("咯熵", "zh"), []);
  assert.ok(search.fit("陈旧度", "陈旧", true) > search.fit("平均陈旧度", "陈旧", true));
});

test("a camel-case name is found by its parts", () => {
  assert.deepEqual(found("timeout"), ["exception AgentTimeoutError"]);
  assert.deepEqual(found("agenttimeout"), ["exception AgentTimeoutError"]);
  assert.ok(search.fit("agent timeout error", "timeout", true) > search.fit("agenttimeouterror", "timeout", true));
});

test("the name decides before the explanation", () => {
  assert.deepEqual(found("entropy"), [
    "run web-search-entropy",
    "metric policy/policy_entropy",
    "setting trainer.policy.optimizer_config.lr",
  ]);
});

test("chinese is found by substrings in titles and texts, on either page", () => {
  assert.deepEqual(found("策略熵", "zh"), ["metric policy/policy_entropy"]);
  assert.deepEqual(found("策略熵", "en"), ["metric policy/policy_entropy"]);
  assert.deepEqual(found("熵", "zh"), ["metric policy/policy_entropy"]);
  assert.deepEqual(found("运行", "zh"), ["run 运行 一"]);
  assert.ok(found("entropy", "zh").includes("metric policy/policy_entropy"));
});

test("chinese words that stand apart are found by pairs, but not by one pair of many", () => {
  assert.ok(search.fit("平均原始奖励", "平均奖励", true) > 0);
  assert.ok(search.fit("平均原始奖励", "原始奖励", true) > search.fit("平均原始奖励", "平均奖励", true));
  assert.equal(search.fit("平均原始奖励", "平均速度快慢", true), 0);
});

test("a query of both scripts is parted", () => {
  assert.deepEqual(plain(search.words("KL散度，平滑 ema")), ["kl", "散度", "平滑", "ema"]);
  assert.deepEqual(found("EMA滑动", "zh"), ["term 指数滑动平均（EMA）"]);
});

test("values are found when they are meant", () => {
  assert.deepEqual(found("lr=2e-5"), ["value trainer.policy.optimizer_config.lr=2e-5"]);
  assert.ok(found("lr 8e-6").includes("value trainer.policy.optimizer_config.lr=8e-6"));
  assert.ok(found("grpo").includes("value my.own.key=grpo"));
  assert.ok(!found("lr").some((each) => each.startsWith("value")), "a setting's name is no question for its values");
  assert.ok(!found("5").some((each) => each.startsWith("value")));
});

test("results lead to the page that tells most", () => {
  const pages = (query) => search.find(index, query, "en").flatMap(({ items }) => items.map((item) => item.page));
  assert.ok(pages("avg_raw_reward").includes("glossary/skyrl-avg_raw_reward.html"));
  assert.ok(pages("calendar").includes("runs/calendar-80-8b/index.html"));
  assert.ok(pages("baseline").includes("index.html#tag=baseline"));
  assert.ok(pages("my.own.key").includes("runs/calendar-80-8b/config.html#q=my.own.key"));
  assert.ok(pages("lr=8e-6").includes("runs/yun-xing/config.html#q=trainer.policy.optimizer_config.lr"));
  assert.ok(pages("selected checkpoint").includes("about.html#checkpoint"));
});

test("an entry that a logged name is explained by is not listed twice", () => {
  assert.deepEqual(found("reward"), ["metric reward/avg_raw_reward"]);
});

test("of equals the newer run is first", () => {
  const two = search.prepare(
    data({ runs: { t: ["demo a", "demo b"], s: ["a", "b"], a: ["", ""], x: ["", ""], d: [1, 2] } }),
  );
  const [group] = search.find(two, "demo", "en");
  assert.deepEqual(plain(group.items.map((item) => item.titles[0])), ["demo b", "demo a"]);
});

test("sets of runs are alternating counts", () => {
  const sets = { ...index, sets: [[0, 3], [1, 2, 4, 1], []] };
  assert.deepEqual(plain(search.runsOf(sets, 0)), [0, 1, 2]);
  assert.deepEqual(plain(search.runsOf(sets, 1)), [1, 2, 7]);
  assert.deepEqual(plain(search.runsOf(sets, 2)), []);
  assert.equal(search.count(sets, 1), 3);
  assert.equal(search.count(sets, -1), 0);
});

test("hits are marked, and nothing of the text is lost", () => {
  const marks = (text, query) => plain(search.marked(text, query)).map((part) => (part.hit ? `[${part.text}]` : part.text)).join("");
  assert.equal(marks("policy/Policy_entropy", "policy ent"), "[policy]/[Policy]_[ent]ropy");
  assert.equal(marks("平均原始奖励", "原始"), "平均[原始]奖励");
  assert.equal(marks("<b>&", "b"), "<[b]>&");
  assert.equal(marks("", "b"), "");
  assert.equal(marks("ﬁle", "f"), "ﬁle", "a text that changes length when folded is not marked");
});

test("ten thousand runs are searched within a tenth of a second", () => {
  const size = 10_000;
  const list = (make) => Array.from({ length: size }, (_, place) => make(place));
  const large = search.prepare(
    data({
      runs: {
        t: list((i) => `rl-nemotron-mcqa-${i}-8B-lr${i % 7}`),
        s: list((i) => `rl-nemotron-mcqa-${i}-8b`),
        a: list((i) => `SkyRL · Qwen/Qwen3-${i % 9}B · team/nemotron-gym-${i % 40} · rloo_n`),
        x: list((i) => `tag-${i % 30} nightly`),
        d: list((i) => i),
      },
    }),
  );
  for (const query of ["r", "nemotron", "rl 8b lr3", "nightly tag-7", "训练奖励", "qwen3-8b", "nemotorn", "nigthly qwne"]) {
    search.find(large, query, "en");
    const times = [0, 1, 2].map(() => {
      const before = process.cpuUsage();
      search.find(large, query, "en");
      const used = process.cpuUsage(before);
      return (used.user + used.system) / 1000;
    });
    assert.ok(Math.min(...times) < 100, `${query}: ${times} ms`);
  }
});
