// Runs: how far they are, their answers, reports and files.  Every tab shows those of the session.

import { remove, Refused } from "./api.js";
import { $, make, refill, said, tell } from "./dom.js";

const FILES = { report: "report", reduced: "reduced file", selection: "saved selection (JSON)", code: "code (.py)", ranking: "ranking (CSV)" };
const STATES = { waiting: "waiting for another run", running: "running", done: "done", failed: "failed", cancelled: "cancelled" };

const cards = new Map();
let opened = null;

// A run that was begun here opens its report when it is there.
export function openWhenDone(id) {
  opened = id;
}

export function showRuns(jobs) {
  const runs = jobs.filter((job) => job.kind === "run");
  $("runs-part").hidden = runs.length === 0;
  for (const [id, card] of cards) {
    if (runs.some((run) => run.id === id)) continue;
    card.element.remove();
    cards.delete(id);
  }
  runs.forEach(update);
}

export const areAtWork = (jobs) => jobs.some((job) => job.state === "running" || job.state === "waiting");

function update(run) {
  if (!cards.has(run.id)) {
    cards.set(run.id, newCard(run));
    $("runs").prepend(cards.get(run.id).element);
  }
  const card = cards.get(run.id);
  const working = run.state === "running" || run.state === "waiting";
  const ready = run.files.includes("report") && run.state !== "failed";
  card.state.textContent = `${ready && working ? "writing the reduced file" : STATES[run.state]}, ${Math.round(run.seconds)} s`;
  showProgress(run, card, working && !ready);
  const shape = JSON.stringify([run.state, run.files, run.answer]);
  if (shape === card.shape) return;
  card.shape = shape;
  card.end.textContent = working ? "Cancel" : "Remove";
  card.end.setAttribute("aria-label", `${card.end.textContent} the run on ${run.name}`);
  const sentences = run.error ? [make("p", { class: "warning" }, ...said(run.error))] : [];
  refill(card.said, [...sentences, ...run.said.map((each) => make("p", { class: "quiet" }, ...said(each)))]);
  card.answer.textContent = run.answer;
  refill(card.downloads, ["Download: ", ...run.files.map((what) => make("a", { href: `jobs/${run.id}/files/${what}`, download: "" }, FILES[what]))]);
  if (!ready) card.result.remove();
  else if (!card.result.isConnected) card.said.after(card.result);
  if (!working || ready) tell(`The run on ${run.name} is ${STATES[ready ? "done" : run.state]}. ${run.error || run.answer}`);
  if (ready && opened === run.id) {
    opened = null;
    showReport(run, card, true);
  }
}

// Made once: what changes later is changed in place, so that the focus stays where it is.
function newCard(run) {
  const title = make("h3", {}, `${run.name}: ${run.target}`);
  const state = make("span", { class: "quiet" });
  const end = make("button", { type: "button", onclick: () => close(run.id) });
  const progress = make("div");
  const sentences = make("div");
  const answer = make("p", { class: "answer" });
  const toggle = make("button", { type: "button", "aria-expanded": "false", onclick: () => showReport(run, card, !card.report.firstChild) }, "Show the report");
  const tab = make("a", { href: `jobs/${run.id}/report`, target: "_blank", rel: "noopener" }, "Open it in a tab");
  const downloads = make("p", { class: "links" });
  const result = make("div", {}, answer, make("p", { class: "links" }, toggle, tab), downloads);
  const report = make("div", { class: "report" });
  const element = make("article", { class: "run", "aria-label": `Run on ${run.name}` },
    make("div", { class: "head" }, title, state, end), progress, sentences, report);
  const card = { element, state, end, progress, said: sentences, result, answer, toggle, downloads, report, shape: "", words: "", quarter: 0 };
  return card;
}

async function close(id) {
  try {
    await remove(`jobs/${id}`);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}

function showProgress(run, card, shown) {
  if (!shown) {
    card.progress.replaceChildren();
    return;
  }
  if (!card.progress.firstChild) card.progress.append(make("p", { class: "quiet" }), make("progress", { "aria-label": `Progress on ${run.name}` }));
  const [words, bar] = card.progress.children;
  const share = run.expected ? run.done / run.expected : 0;
  words.textContent = run.doing || "Starting";
  if (run.expected) bar.value = share;
  else bar.removeAttribute("value");
  const quarter = Math.floor(4 * share);
  if (words.textContent !== card.words || quarter !== card.quarter) {
    [card.words, card.quarter] = [words.textContent, quarter];
    tell(`${words.textContent}${quarter ? `, ${25 * quarter} %` : ""}`);
  }
}

function showReport(run, card, wanted) {
  card.report.replaceChildren();
  if (wanted) {
    const frame = make("iframe", { title: `Report on ${run.name}`, src: `jobs/${run.id}/report` });
    frame.setAttribute("sandbox", "allow-scripts");
    card.report.append(frame);
  }
  card.toggle.textContent = wanted ? "Hide the report" : "Show the report";
  card.toggle.setAttribute("aria-expanded", String(wanted));
}
