/** The dashboard's page; everything from runs is put in as text nodes. `nonce` lets its one script and style run. */
export function dashboardPage(nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Praxis flow</title>
<style nonce="${nonce}">
:root { color-scheme: light dark; --line: #8886; --soft: #8881; --bar: #3f76c4; --bad: #b5403c; --wait: #9a7d1c; --good: #2f7d4f; }
* { box-sizing: border-box; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); min-height: 100vh; }
nav { border-right: 1px solid var(--line); padding: 1rem; } main { padding: 1rem 1.5rem; min-width: 0; }
h1 { font-size: 1.1rem; margin: 0 0 .6rem; } h2 { font-size: 1rem; margin: 0 0 .5rem; } h2#title { font-size: 1.2rem; overflow-wrap: anywhere; }
nav button { display: block; width: 100%; text-align: left; margin: 0 0 .4rem; padding: .5rem .6rem; font: inherit; color: inherit; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; overflow-wrap: anywhere; cursor: pointer; }
nav button[aria-current=true] { border-color: var(--bar); box-shadow: inset 3px 0 var(--bar); } nav button small { display: block; opacity: .75; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; } td, th { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; } td.lane-cell { min-width: 10rem; width: 40%; } td.name { white-space: nowrap; }
.counters { display: flex; flex-wrap: wrap; gap: .6rem; } .counters div { border: 1px solid var(--line); border-radius: 6px; padding: .4rem .8rem; min-width: 5.5rem; } .counters b { display: block; font-size: 1.2rem; font-variant-numeric: tabular-nums; }
.state { white-space: nowrap; } .state.completed { color: var(--good); } .state.failed { color: var(--bad); font-weight: 600; } .state.running, .state.retrying, .state.waiting { color: var(--wait); }
.lane { position: relative; height: 1.1rem; background: var(--soft); border-radius: 3px; } .lane i { position: absolute; top: 0; bottom: 0; background: var(--bar); min-width: 3px; border-radius: 3px; } .lane i.failed { background: var(--bad); } .lane i.retry { background: repeating-linear-gradient(45deg, var(--wait), var(--wait) 4px, transparent 4px, transparent 8px); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font-size: .85em; } meter { width: 12rem; } section { margin-bottom: 1.6rem; } section[hidden] { display: none; } .empty { opacity: .75; }
.rounds { display: flex; gap: .8rem; overflow-x: auto; } .rounds > div { border: 1px solid var(--line); border-radius: 6px; padding: .5rem .8rem; min-width: 12rem; } .rounds p { margin: .2rem 0 0; }
input { font: inherit; padding: .3rem .5rem; max-width: 100%; } label { display: block; margin-bottom: .5rem; }
:focus-visible { outline: 2px solid var(--bar); outline-offset: 1px; }
@media (max-width: 760px) { body { grid-template-columns: minmax(0, 1fr); align-content: start; } nav { border-right: 0; border-bottom: 1px solid var(--line); max-height: 40vh; overflow-y: auto; } main { padding: 1rem; } #log tr { display: grid; grid-template-columns: auto 1fr; } #log td { border: 0; padding: .1rem .4rem; } #log td:nth-child(n+3) { grid-column: 1 / -1; } #log tr { border-bottom: 1px solid var(--line); } }
</style>
</head>
<body>
<nav aria-label="Runs"><h1>Runs</h1><div id="runs">No run yet. Start one with <code>praxis flow run</code>.</div></nav>
<main>
<section aria-label="Run"><h2 id="title">Choose a run</h2><p id="about" class="empty">Its steps, tools, budget and log show here, also while it runs.</p><div class="counters" id="counters"></div></section>
<section id="people" hidden><h2>Questions</h2><div id="questions"></div></section>
<section><h2>Steps</h2><div class="scroll" tabindex="0" role="region" aria-label="Steps"><table><thead><tr><th>step</th><th>agent</th><th>state</th><th class="number">attempt</th><th class="number">ms</th><th class="number">tokens</th><th>time</th></tr></thead><tbody id="steps"></tbody></table></div></section>
<section hidden><h2>Tools</h2><table><thead><tr><th>tool</th><th class="number">calls</th><th class="number">failed</th><th class="number">ms</th></tr></thead><tbody id="tools"></tbody></table></section>
<section hidden><h2>Feedback rounds</h2><div class="rounds" id="rounds"></div></section>
<section hidden><h2>Budget</h2><div id="budget"></div></section>
<section><h2>Log</h2><label>Show <input id="filter" placeholder="type or text"></label><table><tbody id="log"></tbody></table></section>
</main>
<script nonce="${nonce}">
const $ = (id) => document.getElementById(id);
const token = new URLSearchParams(location.search).get("token");
const query = (extra) => "?" + new URLSearchParams({ ...extra, ...(token ? { token } : {}) });
const el = (name, text, attributes = {}) => { const node = document.createElement(name); if (text !== undefined) node.append(document.createTextNode(String(text))); for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value); return node; };
const row = (...cells) => { const tr = el("tr"); for (const cell of cells) { const td = el("td", undefined, typeof cell === "number" ? { class: "number" } : {}); td.append(cell instanceof Node ? cell : document.createTextNode(typeof cell === "number" ? cell.toLocaleString("en") : String(cell ?? ""))); tr.append(td); } return tr; };
const fill = (id, nodes) => { $(id).replaceChildren(...nodes); $(id).closest("section").hidden = nodes.length === 0; };
let run = null, events = [], socket = null, dirty = false, runs = [];
async function loadRuns() {
  runs = await (await fetch("api/runs" + query({}))).json();
  if (runs.length === 0) return;
  const focused = document.activeElement?.dataset?.run;
  $("runs").replaceChildren(...runs.map((entry) => { const button = el("button", entry.flow, { "aria-current": String(entry.id === run), "data-run": entry.id }); button.append(el("small", entry.status + " · " + entry.id)); button.onclick = () => open(entry.id); return button; }));
  // The list is made anew; the keyboard stays where it was.
  if (focused) [...$("runs").children].find((button) => button.dataset.run === focused)?.focus();
  draw();
}
function open(id) {
  run = id; events = []; socket?.close(); draw(); loadRuns();
  const connect = () => {
    const mine = socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/events" + query({ run: id, from: String(events.length) }));
    mine.onmessage = (message) => { const event = JSON.parse(message.data); if (event.seq === events.length) { events.push(event); dirty = true; } };
    mine.onclose = () => { if (socket === mine && run === id) setTimeout(connect, 1000); };
  };
  connect();
}
setInterval(() => { if (dirty) { dirty = false; draw(); } }, 250);
setInterval(loadRuns, 3000);
$("filter").oninput = draw;
function draw() {
  const steps = new Map(), tools = new Map(), rounds = [], budgets = new Map(), questions = new Map();
  let over = false;
  const count = { runs: runs.length, active: runs.filter((entry) => entry.status === "running").length, agents: 0, calls: 0, tokens: 0, usd: 0, memory: 0, errors: 0 };
  const begin = events[0]?.time ?? 0; let end = begin + 1;
  for (const event of events) {
    const { type, data, time } = event; end = Math.max(end, time);
    if (type === "agent.completed") count.agents++;
    if (type === "llm.completed") { count.calls++; count.tokens += data.promptTokens + data.outputTokens; count.usd += data.costUsd ?? 0; }
    if (type === "memory.queried") count.memory++;
    if (type === "llm.failed" || type === "step.failed") count.errors++;
    if (type.startsWith("step.") && data.stepId !== undefined) {
      const step = steps.get(event.spanId) ?? { id: data.stepId, agent: "", bars: [] }; steps.set(event.spanId, step);
      if (data.agentId) step.agent = data.agentId;
      step.state = type.slice(5); step.attempt = data.attempt ?? step.attempt;
      if (type === "step.started") step.bars.push({ from: time });
      if (type === "step.retrying") step.bars.push({ from: time, to: time + data.durationMs, kind: "retry" });
      if (type === "step.completed" || type === "step.failed") { const bar = step.bars.findLast((entry) => entry.to === undefined); if (bar) { bar.to = time; bar.kind = type === "step.failed" ? "failed" : ""; } step.ms = data.durationMs; if (data.usage) step.tokens = data.usage.inputTokens + data.usage.outputTokens; if (data.status) step.state = data.status; }
    }
    if (type === "tool.completed" || type === "tool.denied") { const tool = tools.get(data.name) ?? { calls: 0, failed: 0, ms: 0 }; tools.set(data.name, tool); tool.calls++; if (!data.ok) tool.failed++; tool.ms += data.durationMs ?? 0; }
    if (type === "run.started" || type === "run.resumed") over = false; else if (type.startsWith("run.")) over = true;
    if (type === "human.requested") questions.set(data.token, data);
    if (type === "human.answered") questions.delete(data.token);
    if (type === "feedback.iteration") rounds.push(data);
    if (type.startsWith("budget.")) budgets.set(data.path + " " + data.which, { ...data, type });
  }
  const entry = runs.find((candidate) => candidate.id === run);
  $("title").textContent = entry === undefined ? "Choose a run" : entry.flow;
  if (entry !== undefined) $("about").textContent = entry.status + " · " + entry.id;
  $("counters").replaceChildren(...Object.entries({ runs: count.runs, active: count.active, "agents run": count.agents, "model calls": count.calls, tokens: count.tokens, USD: count.usd.toFixed(4), "memory reads": count.memory, errors: count.errors }).map(([name, value]) => { const box = el("div"); box.append(el("b", typeof value === "number" ? value.toLocaleString("en") : value), document.createTextNode(name)); return box; }));
  fill("questions", [...questions.values()].map((question) => el("pre", question.prompt + "\\n--answer " + question.token + "=VALUE")));
  $("steps").replaceChildren(...[...steps.values()].map((step) => { const lane = el("div", undefined, { class: "lane" }); for (const bar of step.bars) { const mark = el("i", undefined, { class: bar.kind ?? "", title: (bar.kind || "run") + " " + Math.round(bar.from) + "–" + (bar.to === undefined ? "now" : Math.round(bar.to)) + " ms" }); mark.style.left = 100 * (bar.from - begin) / (end - begin) + "%"; mark.style.width = 100 * ((bar.to ?? end) - bar.from) / (end - begin) + "%"; lane.append(mark); } const number = (value) => value === undefined ? "" : Math.round(value); const state = step.state === "started" ? (over ? "stopped" : "running") : step.state; const tr = row(step.id, step.agent, el("span", state, { class: "state " + state }), number(step.attempt), number(step.ms), number(step.tokens), lane); tr.firstChild.className = "name"; tr.lastChild.className = "lane-cell"; return tr; }));
  fill("tools", [...tools].map(([name, tool]) => row(name, tool.calls, tool.failed, Math.round(tool.ms))));
  fill("rounds", rounds.map((data) => { const box = el("div"); box.append(el("b", "Round " + data.k + (data.closing ? " (closing)" : "")), el("p", data.approved ? "approved" : "not approved")); if (data.targets.length) box.append(el("p", "revised: " + data.targets.join(", "))); return box; }));
  fill("budget", [...budgets.values()].map((data) => { const name = (data.path || "run") + " " + data.which; const line = el("div", name + ": " + data.used.toLocaleString("en") + " of " + data.limit.toLocaleString("en") + " "); line.append(el("meter", undefined, { value: data.used, max: data.limit, "aria-label": name })); return line; }));
  const wanted = $("filter").value.toLowerCase();
  $("log").replaceChildren(...events.filter((event) => wanted === "" || JSON.stringify(event).toLowerCase().includes(wanted)).slice(-300).map((event) => row(Math.round(event.time), event.type, event.spanId, el("pre", JSON.stringify(event.data)))));
}
loadRuns();
</script>
</body>
</html>`;
}
