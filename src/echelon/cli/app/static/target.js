// The target, the order of its classes, and what the command says about it before it runs.

import { found, isGone, post, Refused, remove } from "./api.js";
import { columnNamed, markExcluded, options } from "./columns.js";
import { $, make, notes, refill, said, tell } from "./dom.js";
import { orderList } from "./order.js";

const SOON = 500;

let draft = null;
let file = null;
let read = []; // notes that stand above the columns
let check = 0; // the one that is wanted; those before it end when they notice
let timer = 0;
let changed = () => {};

export function watchTarget(whenChanged) {
  changed = whenChanged;
  $("target").addEventListener("change", () => {
    draft.target = $("target").value;
    draft.order = "";
    changed();
  });
  document.querySelectorAll("[name=order]").forEach((radio) => radio.addEventListener("change", () => {
    draft.order = radio.value;
    changed();
  }));
}

export function showTarget(table, chosen, itsFile) {
  [draft, file, read] = [chosen, itsFile, table.notes];
  const names = table.columns.map((each) => each.name);
  if (!names.includes(draft.target)) draft.target = "";
  $("check").replaceChildren();
  $("target").replaceChildren(make("option", { value: "" }, "Choose one"), ...names.map((name) => make("option", { value: name }, name)));
  showOrder();
  checkSoon();
}

export function showOrder() {
  $("target").value = draft.target;
  const column = columnNamed(draft.target);
  const values = (column && column.values) || [];
  $("order").hidden = values.length < 2;
  $("run-part").hidden = !draft.target;
  $("weights-part").hidden = !Object.values(draft.uses).includes("weights");
  document.querySelectorAll("[name=order]").forEach((radio) => {
    radio.checked = radio.value === draft.order;
  });
  $("classes").replaceChildren();
  if ($("order").hidden || draft.order !== "order") return;
  if (!draft.classes[draft.target]) draft.classes[draft.target] = column.looks_ordered || values;
  const list = orderList(draft.classes[draft.target], `Classes of ${draft.target}, lowest first`, (labels) => {
    draft.classes[draft.target] = labels;
    checkSoon();
  });
  $("classes").append(list, make("p", { class: "quiet" }, "Drag a class, or use its buttons or the arrow keys."));
}

export function checkSoon() {
  clearTimeout(timer);
  check += 1;
  if (!draft || !draft.target) {
    $("check").replaceChildren();
    return;
  }
  timer = setTimeout(look, SOON);
}

// What was said last stays until the answer is there: somebody may be on an option in it.
const looking = make("p", { class: "quiet" }, "Looking at the data \u2026");

async function look() {
  const mine = check;
  const wanted = () => mine === check;
  if (!looking.isConnected) $("check").prepend(looking);
  try {
    const job = await post("jobs", { kind: "check", file: file.id, options: options(draft) });
    try {
      const now = await found(job, wanted);
      if (now && wanted()) {
        show(now.result);
        markExcluded(now.result.set_aside);
      }
    } finally {
      if (!isGone()) await remove(`jobs/${job.id}`);
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (wanted()) say([make("p", { class: "warning" }, ...said(error.message))]);
  }
}

function say(parts) {
  looking.remove();
  refill($("check"), parts);
}

function show(facts) {
  const list = make("ul", { class: "notes" });
  const grave = [...facts.questions, ...facts.doubts, ...facts.warnings];
  const others = [...facts.notes, ...facts.caveats].filter((each) => !read.includes(each));
  notes(list, [...grave, ...others], (each) => grave.includes(each));
  const hint = make("p", { class: "quiet" }, "These are the words of the command: an option in them leads to its place in this page.");
  // The method depends on the answer to a question.
  const reason = facts.questions.length ? [] : [make("p", {}, facts.reason)];
  say([...reason, list, ...(list.querySelector("button") ? [hint] : [])]);
  if (facts.questions.length) tell(facts.questions[0]);
}
