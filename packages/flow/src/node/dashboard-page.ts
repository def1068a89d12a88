/** The dashboard's page; everything from runs is put in as text nodes. `nonce` lets its one script and style run. */
export function dashboardPage(nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Praxis flow</title>
<style nonce="${nonce}">
:root { color-scheme: light dark; --line: #8886; --bar: #5b8dd6; --bad: #c0504d; }
body { font: 14px/1.4 system-ui, sans-serif; margin: 0; display: grid; grid-template-columns: 16rem 1fr; min-height: 100vh; }
nav { border-right: 1px solid var(--line); padding: 1rem; } main { padding: 1rem; min-width: 0; }
nav button { display: block; width: 100%; text-align: left; margin: .2rem 0; padding: .4rem; } nav button[aria-current=true] { font-weight: bold; }
table { border-collapse: collapse; width: 100%; } td, th { border-bottom: 1px solid var(--line); padding: .2rem .5rem; text-align: left; vertical-align: top; }
.counters { display: flex; flex-wrap: wrap; gap: 1rem; } .counters div { border: 1px solid var(--line); border-radius: 6px; padding: .4rem .8rem; } .counters b { display: block; font-size: 1.2rem; }
.lane { position: relative; height: 1.1rem; background: #8881; } .lane i { position: absolute; top: 0; bottom: 0; background: var(--bar); min-width: 2px; } .lane i.failed { background: var(--bad); } .lane i.retry { background: repeating-linear-gradient(45deg, #b0a060, #b0a060 4px, transparent 4px, transparent 8px); }
pre { white-space: pre-wrap; margin: 0; } meter { width: 12rem; } section { margin-bottom: 1.5rem; } .rounds { display: flex; gap: 1rem; overflow-x: auto; } .rounds > div { border: 1px solid var(--line); padding: .5rem; min-width: 14rem; }
:focus-visible { outline: 2px solid var(--bar); }
</style>
</head>
<body>
<nav aria-label="Runs"><h1>Runs</h1><div id="runs">No run yet. Start one with <code>praxis flow run</code>.</div></nav>
<main>
<section><h2 id="title">Choose a run</h2><div class="counters" id="counters"></div></section>
<section><h2>Steps</h2><table><thead><tr><th>step</th><th>agent</th><th>state</th><th>attempt</th><th>ms</th><th>tokens</th><th>time</th></tr></thead><tbody id="steps"></tbody></table></section>
<section><h2>Tools</h2><table><thead><tr><th>tool</th><th>calls</th><th>failed</th><th>ms</th></tr></thead><tbody id="tools"></tbody></table></section>
<section><h2>Feedback rounds</h2><div class="rounds" id="rounds"></div></section>
<section><h2>Budget</h2><div id="budget">No limit was met.</div></section>
<section><h2>Log</h2><label>Show <input id="filter" placeholder="type or text"></label><table><tbody id="log"></tbody></table></section>
</main>
<script nonce="${nonce}">
const $ = (id) => document.getElementById(id);
const token = new URLSearchParams(location.search).get("token");
const query = (extra) => "?" + new URLSearchParams({ ...extra, ...(token ? { token } : {}) });
const el = (name, text, attributes = {}) => { const node = document.createElement(name); if (text !== undefined) node.append(document.createTextNode(String(text))); for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value); return node; };
const row = (...cells) => { const tr = el("tr"); for (const cell of cells) { const td = el("td"); td.append(cell instanceof Node ? cell : document.createTextNode(String(cell ?? ""))); tr.append(td); } return tr; };
let run = null, events = [], socket = null, dirty = false, runs = [];
async function loadRuns() {
  runs = await (await fetch("api/runs" + query({}))).json();
  if (runs.length === 0) return;
  $("runs").replaceChildren(...runs.map((entry) => { const button = el("button", entry.flow + " · " + entry.status + " · " + entry.id, { "aria-current": String(entry.id === run) }); button.onclick = () => open(entry.id); return button; }));
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
  const steps = new Map(), tools = new Map(), rounds = [], budgets = new Map();
  const count = { runs: runs.length, active: runs.filter((entry) => entry.status === "running").length, agents: 0, calls: 0, tokens: 0, usd: 0, memory: 0, errors: 0 };
  let end = 1;
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
    if (type === "feedback.iteration") rounds.push(data);
    if (type.startsWith("budget.")) budgets.set(data.path + " " + data.which, { ...data, type });
  }
  $("title").textContent = run ?? "Choose a run";
  $("counters").replaceChildren(...Object.entries({ runs: count.runs, active: count.active, "agents run": count.agents, "model calls": count.calls, tokens: count.tokens, USD: count.usd.toFixed(4), "memory reads": count.memory, errors: count.errors }).map(([name, value]) => { const box = el("div"); box.append(el("b", value), document.createTextNode(name)); return box; }));
  $("steps").replaceChildren(...[...steps.values()].map((step) => { const lane = el("div", undefined, { class: "lane" }); for (const bar of step.bars) { const mark = el("i", undefined, { class: bar.kind ?? "", title: (bar.kind || "run") + " " + bar.from + "–" + (bar.to ?? "now") + " ms" }); mark.style.left = 100 * bar.from / end + "%"; mark.style.width = 100 * ((bar.to ?? end) - bar.from) / end + "%"; lane.append(mark); } return row(step.id, step.agent, step.state, step.attempt, step.ms, step.tokens, lane); }));
  $("tools").replaceChildren(...[...tools].map(([name, tool]) => row(name, tool.calls, tool.failed, tool.ms)));
  $("rounds").replaceChildren(...rounds.map((data) => { const box = el("div"); box.append(el("b", "Round " + data.k + (data.closing ? " (closing)" : "")), el("p", data.approved ? "approved" : "not approved"), el("p", data.targets.length ? "revised: " + data.targets.join(", ") : "")); return box; }));
  if (budgets.size > 0) $("budget").replaceChildren(...[...budgets.values()].map((data) => { const line = el("div", (data.path || "run") + " " + data.which + ": " + data.used + " of " + data.limit + " "); line.append(el("meter", undefined, { value: data.used, max: data.limit })); return line; }));
  const wanted = $("filter").value.toLowerCase();
  $("log").replaceChildren(...events.filter((event) => wanted === "" || JSON.stringify(event).toLowerCase().includes(wanted)).slice(-300).map((event) => row(event.time, event.type, event.spanId, el("pre", JSON.stringify(event.data)))));
}
loadRuns();
</script>
</body>
</html>`;
}
