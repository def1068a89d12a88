import { showCandidates } from "./candidates.js";
import { el, isRecord, words } from "./element.js";
import { makeForm } from "./form.js";
import { showList } from "./list.js";
import { infoOf, showHistory, showReward } from "./results.js";
import { showReview } from "./review.js";
import { getJson, headers, readList, setToken, socketUrl } from "./server.js";
import { CallError, TabSession } from "./socket.js";
import { tree } from "./tree.js";

const $ = (id) => document.getElementById(id);

let environments = [];
/** The environment shown: its entry of the list, metadata, forms, session and episode. */
let current = null;

async function loadList() {
  const message = $("list-message");
  try {
    environments = await readList();
    showServer("open", "Server is up");
    message.textContent =
      environments.length === 0
        ? "No environment is registered. Start the server with one, for example: praxis serve polyguard."
        : "";
    $("token-form").hidden = true;
  } catch (error) {
    const isRefused = error instanceof CallError;
    $("token-form").hidden = error.code !== "HTTP 401";
    showServer("lost", isRefused ? "Server refuses" : "Server does not answer");
    message.textContent = isRefused
      ? error.message
      : "The list could not be read. Start the server, then refresh the list.";
  }
  message.hidden = message.textContent === "";
  renderList();
}

function showServer(state, text) {
  $("server-status").dataset.state = state;
  $("server-status").textContent = text;
}

const renderList = () => showList($("environments"), environments, current?.entry.name, choose);

async function choose(entry) {
  current?.session.close();
  const { root } = entry;
  clearProblem();
  $("welcome").hidden = true;
  $("environment").hidden = false;
  $("env-name").textContent = entry.name;
  $("env-description").textContent = entry.description ?? "";
  showNotice(entry.notice);
  status("", "");
  const chosen = {
    entry,
    resetForm: null,
    stepForm: null,
    session: null,
    steps: [],
    folds: new Map(),
    observation: {},
  };
  chosen.session = new TabSession(socketUrl(root), (state, error) => {
    if (current === chosen) connectionChanged(state, error);
  });
  current = chosen;
  renderList();
  showEpisode();
  try {
    const schema = await getJson(new URL("schema", root));
    if (current !== chosen) return;
    chosen.resetForm = makeForm($("reset-fields"), resetSchema(entry.reset_options));
    chosen.actionSchema = schema.action;
    chosen.stepForm = makeForm($("step-fields"), schema.action);
    $("review").hidden = !entry.review;
    $("review-result").replaceChildren();
  } catch (error) {
    showProblem(error);
  }
  $("env-name").focus();
}

function showNotice(notice) {
  $("env-notice").hidden = !notice;
  $("env-notice").textContent = notice ? notice.charAt(0).toUpperCase() + notice.slice(1) : "";
}

/** Seed and episode id, which every environment has, before the environment's own options. */
function resetSchema(options) {
  const { seed, episode_id: id, ...own } = options?.properties ?? {};
  return {
    ...options,
    type: "object",
    properties: {
      seed: { type: "integer", minimum: 0, description: "Same seed, same episode", ...seed },
      episode_id: { type: "string", maxLength: 255, title: "Episode id", ...id },
      ...own,
    },
    required: [],
  };
}

function status(state, text) {
  $("session-status").dataset.state = state;
  $("session-status").textContent = text;
}

const CONNECTION_TEXTS = {
  connecting: "Connecting…",
  open: "Connected",
  resumed: "Connected again, the episode goes on",
  lost: "Connection lost, trying again",
  gone: "The episode is gone, reset to begin another",
  closed: "Not connected, reset to connect",
};

function connectionChanged(state, error) {
  status(state, CONNECTION_TEXTS[state]);
  if (error !== null) showProblem(error);
  if (state === "lost") showServer("lost", "Server does not answer");
  if (state === "gone" || state === "closed")
    endEpisode("The session is gone, and the episode with it. Reset to begin another.");
  if (state === "resumed") clearProblem();
  if (state === "resumed" || state === "gone") void loadList();
}

function clearProblem() {
  $("problem").replaceChildren();
}

function showProblem(error) {
  const { code = "PAGE_ERROR", message, hint = "", errors = [] } = error;
  $("problem").replaceChildren(
    el("p", {}, el("code", {}, code), ` ${message}`),
    hint ? el("p", { class: "quiet" }, hint) : "",
    errors.length > 0
      ? el(
          "ul",
          {},
          errors.map(({ loc = [], msg }) => el("li", {}, el("code", {}, loc.join(".")), ` ${msg}`)),
        )
      : "",
  );
}

/** Runs `run` with the button busy, and shows what goes wrong. */
async function act(button, form, run) {
  clearProblem();
  button.setAttribute("aria-disabled", "true");
  try {
    await run();
  } catch (error) {
    const rest = Array.isArray(error.errors) ? form.showErrors(error.errors) : [];
    showProblem({ code: error.code, message: error.message, hint: error.hint, errors: rest });
  } finally {
    button.removeAttribute("aria-disabled");
  }
}

$("reset-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const button = $("reset-button");
  const data = current?.resetForm?.read() ?? null;
  if (data === null || button.hasAttribute("aria-disabled")) return;
  const chosen = current;
  void act(button, chosen.resetForm, async () => {
    const reply = await chosen.session.call({ type: "reset", data });
    if (current !== chosen) return;
    chosen.steps = [];
    observe(reply);
    showWarnings(reply);
    void loadList();
  });
});

$("step-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const button = $("step-button");
  const action = current?.stepForm?.read() ?? null;
  if (action === null || button.hasAttribute("aria-disabled")) return;
  const chosen = current;
  void act(button, chosen.stepForm, async () => {
    const reply = await chosen.session.call({ type: "step", data: action });
    if (current !== chosen) return;
    chosen.steps.push({ action, reply });
    observe(reply);
  });
});

/** A reset may have ignored an option. */
function showWarnings(reply) {
  const warnings = infoOf(reply).warnings ?? [];
  const note = $("reset-note");
  note.hidden = !Array.isArray(warnings) || warnings.length === 0;
  note.replaceChildren(...(note.hidden ? [] : warnings.map((text) => el("p", {}, String(text)))));
}

/** Shows a reply to reset or step. */
function observe(reply) {
  const { metadata: _, terminated, truncated, ...observation } = reply.observation ?? {};
  const info = infoOf(reply);
  status("open", "Episode running");
  showEpisode(observation);
  if (reply.done) {
    const why = info.termination_reason ? ` (${words(info.termination_reason).toLowerCase()})` : "";
    endEpisode(
      `The episode has ended${why}, ${truncated ? "cut by a limit" : "at its own end"}. Reset to begin another.`,
    );
    status("open", "Episode ended");
  }
}

function endEpisode(text) {
  const hadFocus = $("step-form").contains(document.activeElement);
  $("step-form").hidden = true;
  $("step-hint").hidden = false;
  $("step-hint").textContent = text;
  if (hadFocus) $("reset-button").focus();
}

function showEpisode(observation) {
  const begun = observation !== undefined;
  $("step-form").hidden = !begun;
  $("step-hint").hidden = begun;
  $("step-hint").textContent = "Reset to begin an episode; then choose an action here.";
  const offered = begun && Array.isArray(observation.candidates) ? observation.candidates.filter(isRecord) : [];
  showCandidates($("candidates"), offered, fillAction);
  current.observation = observation ?? {};
  const { candidates, ...rest } = current.observation;
  $("observation").replaceChildren(
    begun
      ? tree(offered.length > 0 ? rest : current.observation, current.folds)
      : el("p", { class: "quiet" }, "Nothing observed yet. Reset to begin an episode."),
  );
  if (offered.length > 0) {
    // Last step's choice is not offered any more.
    current.stepForm = makeForm($("step-fields"), current.actionSchema);
  }
  $("step-details").open = offered.length === 0;
  fillEchoes();
  showReward($("reward"), current.steps);
  showHistory($("history"), current.steps);
}

/** An action may have to repeat a nonce of the observation it answers. */
function fillEchoes() {
  const echoes = Object.fromEntries(
    Object.entries(current.observation).filter(
      ([key, value]) => /nonce/.test(key) && typeof value !== "object" && current.stepForm?.has(key),
    ),
  );
  if (Object.keys(echoes).length > 0) current.stepForm.fill(echoes);
}

/** Fills the form with those fields of an offered action that an action has. */
function fillAction(payload) {
  const known = Object.fromEntries(Object.entries(payload).filter(([key]) => current.stepForm.has(key)));
  const name = Object.keys(known)[0];
  if (name === undefined) return;
  current.stepForm.choose(name);
  current.stepForm.fill(known, true);
  fillEchoes();
}

$("refresh").addEventListener("click", loadList);
$("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  setToken($("token").value.trim());
  void loadList();
});
$("review-file").addEventListener("change", ({ target }) => target.files[0] && void review(target.files[0]));
const drop = $("review-drop");
for (const type of ["dragover", "dragleave", "drop"])
  drop.addEventListener(type, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", type === "dragover");
    if (type === "drop" && event.dataTransfer.files[0]) void review(event.dataTransfer.files[0]);
  });

async function review(file) {
  clearProblem();
  await showReview($("review-result"), file, new URL("review", current.entry.root), headers());
}

void loadList();
