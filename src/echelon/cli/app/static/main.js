// From a file to a run: the parts of the page, and what the server has.

import { found, get, isGone, leave, post, put, Refused, remove } from "./api.js";
import { emptyDraft, options, select, show, showColumns, watchColumns } from "./columns.js";
import { $, make, tell, warn } from "./dom.js";
import { areAtWork, openWhenDone, showRuns } from "./runs.js";
import { checkSoon, showOrder, showTarget, watchTarget } from "./target.js";

const OFTEN = 300;
const SELDOM = 2000;
const FIELDS = ["missing", "not_missing", "delimiter", "decimal", "thousands", "sheet", "weights_are",
  "method", "n_features", "tolerance", "estimator", "cv", "seed", "rises", "falls"];

const held = new Map(); // by file: what was read, what was chosen
let chosen = null;

// Whatever the server refuses is said in its place; all else is a mistake, and goes to the console.
async function attempt(element, work) {
  warn(element, "");
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (!isGone()) warn(element, error.message);
  }
}

// ------------------------------------------------------------------------------- files

async function send(file) {
  await attempt($("file-error"), async () => {
    const place = await post("files", { name: file.name, size: file.size });
    $("sending").hidden = false;
    try {
      await put(`files/${place.id}`, file);
    } finally {
      $("sending").hidden = true;
    }
    await open(place);
  });
  $("file").value = "";
}

async function open(file, reading = {}) {
  chosen = file;
  if (!held.has(file.id)) held.set(file.id, { table: null, draft: emptyDraft(file.target) });
  const { draft } = held.get(file.id);
  fill(draft);
  $("columns").hidden = false;
  if (!held.get(file.id).table || Object.keys(reading).length) {
    ["table", "target-part", "run-part"].forEach((id) => { $(id).hidden = true; });
    $("shape").textContent = `Reading ${file.name} \u2026`;
    $("read-notes").replaceChildren();
    const job = await post("jobs", { kind: "columns", file: file.id, options: reading });
    try {
      const now = await found(job);
      held.get(file.id).table = now.result;
    } catch (error) {
      if (chosen === file) $("shape").textContent = `${file.name} could not be read.`;
      throw error;
    } finally {
      if (!isGone()) await remove(`jobs/${job.id}`);
    }
  }
  if (chosen !== file) return;
  const { table } = held.get(file.id);
  ["table", "target-part"].forEach((id) => { $(id).hidden = false; });
  showColumns(table, draft);
  showTarget(table, draft, file);
  tell($("shape").textContent);
}

const items = new Map(); // by file: its place in the list, made once, so that the focus stays

function showFiles(files) {
  for (const [id, item] of items) {
    if (files.some((file) => file.id === id)) continue;
    item.remove();
    items.delete(id);
  }
  for (const file of files) {
    if (!items.has(file.id)) {
      items.set(file.id, itemOf(file));
      $("files").append(items.get(file.id));
    }
    items.get(file.id).firstChild.setAttribute("aria-pressed", String(Boolean(chosen) && chosen.id === file.id));
  }
}

function itemOf(file) {
  const size = file.size < 1e6 ? `${Math.ceil(file.size / 1e3)} kB` : `${(file.size / 1e6).toFixed(1)} MB`;
  return make("li", {},
    make("button", { type: "button", onclick: () => attempt($("file-error"), () => open(file)) }, file.name),
    make("span", { class: "quiet" }, size),
    make("button", { type: "button", "aria-label": `Remove ${file.name}`, onclick: () => forget(file) }, "Remove"));
}

async function forget(file) {
  await attempt($("file-error"), () => remove(`files/${file.id}`));
  held.delete(file.id);
  if (!chosen || chosen.id !== file.id) return;
  chosen = null;
  ["columns", "target-part", "run-part"].forEach((id) => { $(id).hidden = true; });
}

// --------------------------------------------------------------------- what was chosen

function fill(draft) {
  FIELDS.forEach((name) => { $(name).value = draft.fields[name] || defaults[name] || ""; });
  $("evidence").checked = Boolean(draft.fields.evidence);
  $("search").value = "";
}

const defaults = {};

function keep() {
  const { draft } = held.get(chosen.id);
  FIELDS.forEach((name) => { draft.fields[name] = $(name).value.trim(); });
  draft.fields.evidence = $("evidence").checked;
}

function watchFields() {
  ["settings", "reading-form", "weights-part"].forEach((id) => $(id).addEventListener("change", () => {
    if (!chosen) return;
    keep();
    if (id !== "settings") checkSoon();
  }));
  $("settings").addEventListener("submit", (event) => event.preventDefault());
  $("reading-form").addEventListener("submit", (event) => {
    event.preventDefault();
    keep();
    const asked = options(held.get(chosen.id).draft);
    const reading = Object.fromEntries(["missing", "delimiter", "decimal", "thousands", "sheet"].map((name) => [name, asked[name]]));
    attempt($("file-error"), () => open(chosen, reading));
  });
}

async function run() {
  keep();
  $("run").disabled = true;
  await attempt($("run-error"), async () => {
    const job = await post("jobs", { kind: "run", file: chosen.id, options: options(held.get(chosen.id).draft) });
    openWhenDone(job.id);
    await update();
    $("h-runs").scrollIntoView({ block: "start" });
  });
  $("run").disabled = isGone();
}

// ------------------------------------------------------------------------- the session

async function update() {
  const state = await get("state");
  showFiles(state.files);
  showRuns(state.jobs);
  return state;
}

async function follow() {
  let wait = SELDOM;
  try {
    const state = await update();
    wait = areAtWork(state.jobs) ? OFTEN : SELDOM;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    leave();
  }
  if (!isGone()) setTimeout(follow, wait);
}

function watchDrop() {
  const place = $("drop");
  // Beside the place, a file that is dropped would open in the place of the page.
  ["dragover", "drop"].forEach((kind) => document.addEventListener(kind, (event) => event.preventDefault()));
  document.addEventListener("dragover", () => place.classList.add("over"));
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) place.classList.remove("over"); });
  document.addEventListener("drop", (event) => {
    place.classList.remove("over");
    const [file] = event.dataTransfer.files;
    if (file && !isGone()) send(file);
  });
  $("file").addEventListener("change", () => { if ($("file").files.length) send($("file").files[0]); });
}

function offer(id, choices) {
  $(id).replaceChildren(...select(choices, "").children);
}

async function begin() {
  const choices = await get("choices");
  $("bundled").append(...Object.entries(choices.bundled).map(([name, text]) => make("button", { type: "button", title: text,
    onclick: () => attempt($("file-error"), async () => open(await post("files", { bundled: name }))) }, name)));
  const methods = Object.entries(choices.methods).map(([name, text]) => [name, `${name}: ${text}`]);
  offer("method", [["auto", "auto: the one that fits the data"], ...methods]);
  offer("estimator", choices.estimators.map((name) => [name, name]));
  Object.assign(defaults, { method: "auto", estimator: choices.defaults.estimator });
  ["n_features", "cv", "seed"].forEach((name) => { $(name).placeholder = choices.defaults[name]; });
  const changed = () => {
    showOrder();
    checkSoon();
  };
  watchColumns(changed);
  watchTarget(() => {
    show();
    changed();
  });
  watchFields();
  watchDrop();
  $("run").addEventListener("click", run);
  $("stop").addEventListener("click", async () => {
    await attempt($("file-error"), () => post("stop"));
    leave();
  });
  await follow();
}

begin();
